import type { EphemeralContainer } from "kubernetes-types/core/v1.d.ts";
import { isObject, isSame } from "../../json.ts";
import { duplicate, type FieldError, forbiddenField, missingReference } from "../field-error.ts";
import { unifiedDiff } from "../unified-diff.ts";
import { type ContainerScope, containerErrors } from "./containers.ts";

/** Fields that only other containers have. Source: Kubernetes 1.35, allowedEphemeralContainerFields. */
const otherFields = [
  ...(["ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules"] as const),
  ...(["livenessProbe", "readinessProbe", "startupProbe", "lifecycle"] as const),
];

/** Returns the errors of ephemeral containers. `scope.names` has the names of the other containers. */
export function validateEphemeralContainers(
  containers: readonly EphemeralContainer[],
  path: string,
  scope: Pick<ContainerScope, "volumes" | "hostNetwork" | "names">,
): FieldError[] {
  const targets = new Set(scope.names);
  return containers.flatMap((container, index) => {
    const field = `${path}[${index}]`;
    const { name, targetContainerName: target = "", volumeMounts = [] } = container;
    const common = Object.fromEntries(Object.entries(container).filter(([key]) => !isOther(key)));
    const errors = [
      ...containerErrors({ ...common, name }, field, scope),
      ...(scope.names.has(name) ? [duplicate(`${field}.name`, name)] : []),
      ...(target === "" || targets.has(target) ? [] : [missingReference(`${field}.targetContainerName`, target)]),
      ...otherFields
        .filter((key) => isSet(key in container ? Object(container)[key] : undefined))
        .map((key) => forbiddenField(`${field}.${key}`, "cannot be set for an Ephemeral Container")),
      ...volumeMounts.flatMap((mount, at) =>
        (["subPath", "subPathExpr"] as const)
          .filter((key) => (mount[key] ?? "") !== "")
          .map((key) =>
            forbiddenField(`${field}.volumeMounts[${at}].${key}`, "cannot be set for an Ephemeral Container"),
          ),
      ),
    ];
    if (name !== "") scope.names.add(name);
    return errors;
  });
}

function isOther(key: string): boolean {
  return otherFields.some((other) => other === key);
}

function isSet(value: unknown): boolean {
  return value !== undefined && !(isObject(value) && Object.keys(value).length === 0);
}

/** Returns the errors of changing or removing ephemeral containers: they can only be added. */
export function ephemeralContainerUpdateErrors(
  next: readonly EphemeralContainer[] = [],
  old: readonly EphemeralContainer[] = [],
): FieldError[] {
  const field = "spec.ephemeralContainers";
  return old.flatMap((container) => {
    const existing = `existing ephemeral containers ${JSON.stringify(container.name)} may not be`;
    const found = next.find(({ name }) => name === container.name);
    if (found === undefined) return [forbiddenField(field, `${existing} removed\n`)];
    if (isSame(found, container)) return [];
    return [forbiddenField(field, `${existing} changed\n${unifiedDiff(container, found)}`)];
  });
}
