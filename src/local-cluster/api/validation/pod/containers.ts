import type { LifecycleHandler, Probe } from "kubernetes-types/core/v1.d.ts";
import type { Container } from "../../../../kube/types.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../field-error.ts";
import { dnsLabel, portName } from "../names.ts";
import { negativeFault, portFault } from "../numbers.ts";
import { validateVariableSources, validateVariables } from "./environment.ts";
import { validatePorts } from "./ports.ts";
import { validateResources } from "./resources.ts";
import { validateContainerSecurity } from "./security.ts";
import { validateMounts } from "./volumes.ts";

const messagePolicies = ["File", "FallbackToLogsOnError"];
const pullPolicies = ["Always", "IfNotPresent", "Never"];

export interface ContainerScope {
  /** Names of the pod's volumes. */
  readonly volumes: ReadonlySet<string>;
  readonly hostNetwork: boolean;
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
    const { name, image = "", lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
    const errors = [
      ...containerErrors(container, field, scope),
      ...(image !== "" && image.trim() !== image
        ? [invalidValue(`${field}.image`, image, "must not have leading or trailing whitespace")]
        : []),
      ...(scope.names.has(name) ? [duplicate(`${field}.name`, name)] : []),
      ...(lifecycle?.postStart ? handlerErrors(lifecycle.postStart, `${field}.lifecycle.postStart`) : []),
      ...(lifecycle?.preStop ? handlerErrors(lifecycle.preStop, `${field}.lifecycle.preStop`) : []),
      ...(livenessProbe ? probeErrors(livenessProbe, `${field}.livenessProbe`, { once: true }) : []),
      ...(readinessProbe ? probeErrors(readinessProbe, `${field}.readinessProbe`, { once: false }) : []),
      ...(startupProbe ? probeErrors(startupProbe, `${field}.startupProbe`, { once: true }) : []),
    ];
    if (name !== "") scope.names.add(name);
    return errors;
  });
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
    ...validateMounts(container.volumeMounts ?? [], `${field}.volumeMounts`, volumes),
    ...(pullPolicies.includes(imagePullPolicy)
      ? []
      : [notSupported(`${field}.imagePullPolicy`, imagePullPolicy, pullPolicies)]),
    ...validateResources(resources, `${field}.resources`),
    ...(securityContext ? validateContainerSecurity(securityContext, `${field}.securityContext`) : []),
  ];
}

function probeErrors(probe: Probe, field: string, { once }: { once: boolean }): FieldError[] {
  const amounts = [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ] as const;
  return [
    ...handlerErrors(probe, field),
    ...amounts.flatMap((name) => {
      const fault = negativeFault(probe[name] ?? 0);
      return fault === undefined ? [] : [invalidValue(`${field}.${name}`, probe[name], fault)];
    }),
    ...(once && (probe.successThreshold ?? 1) !== 1
      ? [invalidValue(`${field}.successThreshold`, probe.successThreshold, "must be 1")]
      : []),
  ];
}

function handlerErrors(handler: LifecycleHandler & { grpc?: object }, field: string): FieldError[] {
  const { exec, httpGet, tcpSocket } = handler;
  const kinds = (["exec", "httpGet", "tcpSocket", "grpc"] as const).filter(
    (kind) => handler[kind] !== undefined,
  );
  const sleeps = "sleep" in handler && handler.sleep !== undefined;
  const [, ...others] = kinds;
  return [
    ...(exec && (exec.command ?? []).length === 0 ? [required(`${field}.exec.command`)] : []),
    ...(httpGet
      ? [
          ...((httpGet.path ?? "") === "" ? [required(`${field}.httpGet.path`)] : []),
          ...portErrors(httpGet.port, `${field}.httpGet.port`),
          ...(["HTTP", "HTTPS"].includes(httpGet.scheme ?? "")
            ? []
            : [notSupported(`${field}.httpGet.scheme`, httpGet.scheme, ["HTTP", "HTTPS"])]),
        ]
      : []),
    ...(tcpSocket ? portErrors(tcpSocket.port, `${field}.tcpSocket.port`) : []),
    ...others.map((kind) => forbiddenField(`${field}.${kind}`, "may not specify more than 1 handler type")),
    ...(kinds.length === 0 && !sleeps ? [required(field, "must specify a handler type")] : []),
  ];
}

function portErrors(port: number | string, field: string): FieldError[] {
  if (typeof port === "string") return portName(port).map((fault) => invalidValue(field, port, fault));
  const fault = portFault(port);
  return fault === undefined ? [] : [invalidValue(field, port, fault)];
}
