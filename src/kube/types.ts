import type { ObjectMeta } from "kubernetes-types/meta/v1.d.ts";

export type {
  ConfigMap,
  Container,
  ContainerPort,
  ContainerState,
  ContainerStatus,
  EnvVar,
  Event,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodCondition,
  PodSpec,
  PodTemplateSpec,
  Secret,
  Service,
  ServiceAccount,
  ServicePort,
  Volume,
  VolumeMount,
} from "kubernetes-types/core/v1.d.ts";
export type { ObjectMeta, OwnerReference, Status } from "kubernetes-types/meta/v1.d.ts";
export type { NetworkPolicy } from "kubernetes-types/networking/v1.d.ts";

/** Text to text, e.g. labels. */
export type StringMap = Readonly<Record<string, string>>;

/** Any object of a Kubernetes API: what we need to know of it to create, own and delete it. */
export interface KubeResource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}
