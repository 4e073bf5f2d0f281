import type { Container, Volume } from "../../../../kube/types.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../field-error.ts";
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
  /** Whether they end before the others begin. */
  readonly isInit: boolean;
  /** Seconds that the pod has to end. */
  readonly graceSeconds: number;
  /** Names that are taken: those of the containers that came before. */
  readonly names: Set<string>;
}

/** What is wrong with containers. */
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
        ? shortLivedErrors(container, field)
        : lifeErrors(container, field, scope)),
    ];
    if (name !== "") scope.names.add(name);
    return errors;
  });
}

/** What comes and goes before the others has no life to look after. */
function shortLivedErrors(container: Container, field: string): FieldError[] {
  const parts = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;
  return parts
    .filter((part) => container[part] !== undefined)
    .map((part) =>
      forbiddenField(`${field}.${part}`, "may not be set for init containers without restartPolicy=Always"),
    );
}

function lifeErrors(container: Container, field: string, { graceSeconds }: ContainerScope): FieldError[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  const place = `${field}.lifecycle`;
  return [
    ...(lifecycle?.postStart ? hookErrors(lifecycle.postStart, `${place}.postStart`, graceSeconds) : []),
    ...(lifecycle?.preStop ? hookErrors(lifecycle.preStop, `${place}.preStop`, graceSeconds) : []),
    ...(livenessProbe ? probeErrors(livenessProbe, `${field}.livenessProbe`, { once: true }) : []),
    ...(readinessProbe
      ? probeErrors(readinessProbe, `${field}.readinessProbe`, { once: false, isReadiness: true })
      : []),
    ...(startupProbe ? probeErrors(startupProbe, `${field}.startupProbe`, { once: true }) : []),
  ];
}

const restartPolicies = ["Always", "Never", "OnFailure"];
const resizePolicies = ["NotRequired", "RestartContainer"];

/** What is wrong with when a container is started anew. */
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

function containerErrors(
  container: Container,
  field: string,
  { volumes, hostNetwork }: ContainerScope,
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
