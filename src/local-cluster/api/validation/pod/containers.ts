import type { Container, Volume } from "../../../../kube/types.ts";
import { duplicate, type FieldError, forbiddenField, invalidValue, notSupported, required } from "../field-error.ts";
import { dnsLabel } from "../names.ts";
import { validateVariableSources, validateVariables } from "./environment.ts";
import { validatePorts } from "./ports.ts";
import { hookErrors, probeErrors } from "./probes.ts";
import { validateResources } from "./resources.ts";
import { validateContainerSecurity } from "./security.ts";
import { validateMounts } from "./volumes.ts";

const messagePolicies = ["File", "FallbackToLogsOnError"];
const pullPolicies = ["Always", "IfNotPresent", "Never"];

export interface ContainerScope {
  /** The pod's volumes by name. */
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly hostNetwork: boolean;
  /** Whether they are init containers. */
  readonly isInit: boolean;
  /** The pod's grace period in seconds. */
  readonly graceSeconds: number;
  /** Names of the preceding containers. */
  readonly names: Set<string>;
}

/** Returns the errors of containers. */
export function validateContainers(
  containers: readonly Container[],
  path: string,
  scope: ContainerScope,
): FieldError[] {
  return containers.flatMap((container, index) => {
    const field = `${path}[${index}]`;
    const { name, image = "" } = container;
    const errors = [
      ...containerErrors(container, field, scope),
      ...(image !== "" && image.trim() !== image
        ? [invalidValue(`${field}.image`, image, "must not have leading or trailing whitespace")]
        : []),
      ...(scope.names.has(name) ? [duplicate(`${field}.name`, name)] : []),
      ...(scope.isInit && container.restartPolicy !== "Always"
        ? initContainerErrors(container, field)
        : lifecycleErrors(container, field, scope)),
    ];
    if (name !== "") scope.names.add(name);
    return errors;
  });
}

/** Returns the errors of an init container without restarts, which cannot have probes or hooks. */
function initContainerErrors(container: Container, field: string): FieldError[] {
  const parts = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;
  return parts
    .filter((part) => container[part] !== undefined)
    .map((part) =>
      forbiddenField(`${field}.${part}`, "may not be set for init containers without restartPolicy=Always"),
    );
}

function lifecycleErrors(container: Container, field: string, { graceSeconds }: ContainerScope): FieldError[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  const lifecycleField = `${field}.lifecycle`;
  return [
    ...(lifecycle?.postStart ? hookErrors(lifecycle.postStart, `${lifecycleField}.postStart`, graceSeconds) : []),
    ...(lifecycle?.preStop ? hookErrors(lifecycle.preStop, `${lifecycleField}.preStop`, graceSeconds) : []),
    ...(livenessProbe ? probeErrors(livenessProbe, `${field}.livenessProbe`, { once: true }) : []),
    ...(readinessProbe
      ? probeErrors(readinessProbe, `${field}.readinessProbe`, { once: false, isReadiness: true })
      : []),
    ...(startupProbe ? probeErrors(startupProbe, `${field}.startupProbe`, { once: true }) : []),
  ];
}

const restartPolicies = ["Always", "Never", "OnFailure"];
const resizePolicies = ["NotRequired", "RestartContainer"];

/** Returns the errors of a container's restart policies. */
function restartErrors({ restartPolicy, resizePolicy = [] }: Container, field: string): FieldError[] {
  return [
    ...(restartPolicy === undefined || restartPolicies.includes(restartPolicy)
      ? []
      : [notSupported(`${field}.restartPolicy`, restartPolicy, restartPolicies)]),
    ...resizePolicy
      .filter(({ restartPolicy: policy }) => !resizePolicies.includes(policy))
      .map(({ restartPolicy: policy }) => notSupported(`${field}.resizePolicy`, policy, resizePolicies)),
  ];
}

/** Returns the errors of a container of any type. */
export function containerErrors(
  container: Container,
  field: string,
  { volumes, hostNetwork }: Pick<ContainerScope, "volumes" | "hostNetwork">,
): FieldError[] {
  const {
    name,
    image = "",
    terminationMessagePolicy = "",
    imagePullPolicy = "",
    resources = {},
    securityContext,
  } = container;
  return [
    ...(name === ""
      ? [required(`${field}.name`)]
      : dnsLabel(name).map((fault) => invalidValue(`${field}.name`, name, fault))),
    ...(image === "" ? [required(`${field}.image`)] : []),
    ...(messagePolicies.includes(terminationMessagePolicy)
      ? []
      : [notSupported(`${field}.terminationMessagePolicy`, terminationMessagePolicy, messagePolicies)]),
    ...validatePorts(container.ports ?? [], `${field}.ports`, { hostNetwork }),
    ...validateVariables(container.env ?? [], `${field}.env`),
    ...validateVariableSources(container.envFrom ?? [], `${field}.envFrom`),
    ...validateMounts(container, field, volumes),
    ...(pullPolicies.includes(imagePullPolicy)
      ? []
      : [notSupported(`${field}.imagePullPolicy`, imagePullPolicy, pullPolicies)]),
    ...validateResources(resources, `${field}.resources`),
    ...restartErrors(container, field),
    ...(securityContext ? validateContainerSecurity(securityContext, `${field}.securityContext`) : []),
  ];
}
