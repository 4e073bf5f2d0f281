import type { Container } from "../../../kube/types.ts";
import { invalidValue } from "../validation/field-error.ts";
import { ephemeralContainerUpdateErrors } from "../validation/pod/ephemeral-containers.ts";
import { validatePodSpec } from "../validation/pod/pod-spec.ts";
import { resizeErrors } from "../validation/pod/resize.ts";
import type { PodObject } from "./pod-object.ts";
import { qosClass } from "./qos-class.ts";
import type { PartRules } from "./rules.ts";

/** The rules of the subresources that write one part of a pod's specification. */
export const podParts: Readonly<Record<string, PartRules<PodObject>>> = {
  ephemeralcontainers: {
    ...{ writes: "spec", keepsMetadata: true },
    write({ spec: { ephemeralContainers } }, old) {
      const { ephemeralContainers: _, ...spec } = old.spec;
      return { ...old, spec: ephemeralContainers === undefined ? spec : { ...spec, ephemeralContainers } };
    },
    validate: ({ spec }, old) => [
      ...validatePodSpec(spec, "spec"),
      ...ephemeralContainerUpdateErrors(spec.ephemeralContainers, old.spec.ephemeralContainers),
    ],
  },
  resize: {
    ...{ writes: "spec", keepsMetadata: true },
    write: (pod, old) => ({
      ...old,
      spec: { ...old.spec, containers: resized(old.spec.containers, pod.spec.containers) },
    }),
    validate: ({ spec }, old) => [
      ...validatePodSpec(spec, "spec"),
      ...(qosClass(spec) === qosClass(old.spec)
        ? []
        : [invalidValue("spec", qosClass(old.spec), "Pod QOS Class may not change as a result of resizing")]),
      ...resizeErrors(spec, old.spec),
    ],
  },
};

/** Takes resources and resize policies from `next`, and everything else from the container of the same name. */
function resized(old: readonly Container[], next: readonly Container[]): Container[] {
  return next.map((container) => {
    const known = old.find(({ name }) => name === container.name);
    if (known === undefined) return container;
    const { resources: _, resizePolicy: __, ...rest } = known;
    const { resources, resizePolicy } = container;
    return { ...rest, ...(resources && { resources }), ...(resizePolicy && { resizePolicy }) };
  });
}
