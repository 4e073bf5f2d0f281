import { type ResourceType, resourceTypes } from "../../../kube/resources.ts";
import type { KubeResource, Pod } from "../../../kube/types.ts";
import { appSelectorLabel, podGroupAnnotation } from "../../../plan/labels.ts";
import { isFields } from "../../../values/fields.ts";
import { type ReferencedObject, referencedObjects, references } from "../diagnose/referenced-objects.ts";

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

function usedBy(pod: Pod): readonly ReferencedObject[] {
  const sources = (pod.spec?.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  return [
    { kind: resourceTypes.podGroup.kind, name: pod.metadata?.annotations?.[podGroupAnnotation] },
    ...referencedObjects(pod),
    ...sources.flatMap(({ configMap, secret }) => references(configMap?.name, secret?.name)),
  ];
}

function child(value: unknown, key: string): unknown {
  return isFields(value) ? value[key] : undefined;
}
