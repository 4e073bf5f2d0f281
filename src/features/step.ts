import type { Issue } from "../errors/issue.ts";
import type {
  Container,
  ContainerPort,
  EnvVar,
  KubeResource,
  PodSpec,
  StringMap,
  Volume,
  VolumeMount,
} from "../kube/types.ts";
import type { PodConf } from "../plan/driver-conf.ts";
import type { LogLine } from "../plan/log-line.ts";

/** Fields of a pod spec that a step may set; lists that several steps share have places of their own below. */
export type PodScalars = Omit<PodSpec, "containers" | "initContainers" | "volumes">;

/** Fields of the role's container that a step may set. */
export type ContainerScalars = Omit<Container, "env" | "ports" | "volumeMounts">;

/** One concern of a pod. It asks only its conf, and decides itself whether it applies. */
export interface FeatureStep<C extends PodConf = PodConf> {
  /** Apache's class name without package, e.g. `BasicDriverFeatureStep`; used by `excludedFeatureSteps`. */
  readonly name: string;
  /** Every reason why this step cannot be made; asked of all steps, those that are left out too, before any contributes. */
  readonly check?: (conf: C) => readonly Issue[];
  /** Every reason why it cannot contribute; asked of steps that take part. */
  readonly checkUse?: (conf: C) => readonly Issue[];
  /** Messages to log even if the step is excluded, as Spark's steps do when they are created. */
  readonly announce?: (conf: C) => readonly LogLine[];
  /** `{}` when the feature does not apply. */
  readonly contribute: (conf: C) => Contribution;
}

/** Everything a step may add; nothing it could remove. */
export interface Contribution {
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly podSpec?: Partial<PodScalars>;
  readonly container?: Partial<ContainerScalars>;
  readonly env?: readonly EnvVar[];
  readonly ports?: readonly ContainerPort[];
  readonly volumes?: readonly Volume[];
  readonly mounts?: readonly VolumeMount[];
  readonly initContainers?: readonly Container[];
  /** Spark settings handed to the driver. */
  readonly properties?: StringMap;
  /** Lines for the log, as Spark prints them. */
  readonly warnings?: readonly string[];
  /** Objects made before the pod and deleted with it. */
  readonly preResources?: readonly KubeResource[];
  /** Objects owned by the pod. */
  readonly resources?: readonly KubeResource[];
}
