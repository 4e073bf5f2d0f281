import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";

/** Name of an object, by the kind that refers to it. */
export interface ReferencedObject {
  readonly kind: string;
  readonly name: string | undefined;
}

/** Returns the objects that a pod mounts, except by projected volumes, or that its containers read as variables. */
export function referencedObjects({ spec }: Pod): readonly ReferencedObject[] {
  const { kind: claim } = resourceTypes.persistentVolumeClaim;
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const variables = containers.flatMap(({ env = [] }) => env.map(({ valueFrom = {} }) => valueFrom));
  const sources = containers.flatMap(({ envFrom = [] }) => envFrom);
  return [
    ...(spec?.volumes ?? []).flatMap(({ configMap, secret, persistentVolumeClaim }) => [
      ...references(configMap?.name, secret?.secretName),
      { kind: claim, name: persistentVolumeClaim?.claimName },
    ]),
    ...variables.flatMap(({ configMapKeyRef, secretKeyRef }) => references(configMapKeyRef?.name, secretKeyRef?.name)),
    ...sources.flatMap(({ configMapRef, secretRef }) => references(configMapRef?.name, secretRef?.name)),
  ];
}

/** Returns references to a ConfigMap and a Secret. */
export function references(configMap: string | undefined, secret: string | undefined): readonly ReferencedObject[] {
  return [
    { kind: resourceTypes.configMap.kind, name: configMap },
    { kind: resourceTypes.secret.kind, name: secret },
  ];
}
