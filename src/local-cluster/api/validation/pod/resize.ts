import type { Container, PodSpec } from "../../../../kube/types.ts";
import { isSame } from "../../json.ts";
import { type FieldError, forbiddenField } from "../field-error.ts";

/** Returns the errors of changing the resources of a running pod. Source: Kubernetes 1.35, ValidatePodResize. */
export function resizeErrors(next: PodSpec, old: PodSpec): FieldError[] {
  const names = [old, next].map(({ containers }) => containers.map(({ name }) => name));
  const field = "spec.containers";
  if (names[0]?.length !== names[1]?.length) {
    return [forbiddenField(field, "containers may not be added or removed on resize")];
  }
  if (!isSame(names[0], names[1]))
    return [forbiddenField(field, "containers may not be renamed or reordered on resize")];
  const removed = old.containers.flatMap(({ resources }, index) =>
    (["requests", "limits"] as const)
      .filter((list) =>
        Object.keys(resources?.[list] ?? {}).some((name) => !(name in amountsOf(next.containers[index], list))),
      )
      .map((list) => forbiddenField(`${field}[${index}].resources.${list}`, `resource ${list} cannot be removed`)),
  );
  const isOtherwiseSame = isSame(old.containers.map(withoutMutable), next.containers.map(withoutMutable));
  return isOtherwiseSame ? removed : [...removed, forbiddenField("spec", "only cpu and memory resources are mutable")];
}

function amountsOf(container: Container | undefined, list: "limits" | "requests"): Readonly<Record<string, string>> {
  return container?.resources?.[list] ?? {};
}

/** Removes the amounts of cpu and memory. */
function withoutMutable(container: Container): object {
  const fixed = (list: "limits" | "requests") =>
    Object.entries(amountsOf(container, list)).filter(([name]) => name !== "cpu" && name !== "memory");
  const { resources: _, ...rest } = container;
  return { ...rest, limits: Object.fromEntries(fixed("limits")), requests: Object.fromEntries(fixed("requests")) };
}
