import type { ResourceType } from "../../../kube/resources.ts";
import type { KubeResource, Pod, Volume } from "../../../kube/types.ts";
import { appSelectorLabel, podGroupAnnotation } from "../../../plan/labels.ts";
import { isFields } from "../../../values/fields.ts";

/** Finds the driver of an object: the one with its application label, else one that mounts or reads it. */
export function driverOf(type: ResourceType, object: KubeResource, drivers: readonly Pod[]): Pod | undefined {
  const appId = appIdOf(object);
  const name = object.metadata.name ?? "";
  return drivers.find(
    (pod) =>
      (appId !== undefined && pod.metadata?.labels?.[appSelectorLabel] === appId) ||
      usedBy(pod).some((used) => used.kind === type.kind && used.name === name),
  );
}

/** Returns the application ID in the labels, or in the selector of a service or a network policy. */
function appIdOf({ metadata, spec }: KubeResource): string | undefined {
  const selector = child(spec, "selector") ?? child(child(spec, "podSelector"), "matchLabels");
  const selected = child(selector, appSelectorLabel);
  return metadata.labels?.[appSelectorLabel] ?? (typeof selected === "string" ? selected : undefined);
}

interface Used {
  readonly kind: string;
  readonly name: string | undefined;
}

function usedBy({ metadata, spec }: Pod): readonly Used[] {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return [
    { kind: "PodGroup", name: metadata?.annotations?.[podGroupAnnotation] },
    ...(spec?.volumes ?? []).flatMap(mounted),
    ...containers.flatMap(({ envFrom = [] }) =>
      envFrom.flatMap(({ configMapRef, secretRef }) => [
        { kind: "ConfigMap", name: configMapRef?.name },
        { kind: "Secret", name: secretRef?.name },
      ]),
    ),
    ...containers.flatMap(({ env = [] }) =>
      env.flatMap(({ valueFrom }) => [
        { kind: "ConfigMap", name: valueFrom?.configMapKeyRef?.name },
        { kind: "Secret", name: valueFrom?.secretKeyRef?.name },
      ]),
    ),
  ];
}

function mounted({ configMap, secret, persistentVolumeClaim, projected }: Volume): readonly Used[] {
  return [
    { kind: "ConfigMap", name: configMap?.name },
    { kind: "Secret", name: secret?.secretName },
    { kind: "PersistentVolumeClaim", name: persistentVolumeClaim?.claimName },
    ...(projected?.sources ?? []).flatMap((source) => [
      { kind: "ConfigMap", name: source.configMap?.name },
      { kind: "Secret", name: source.secret?.name },
    ]),
  ];
}

function child(value: unknown, key: string): unknown {
  return isFields(value) ? value[key] : undefined;
}
