import type { LifecycleHandler, Probe } from "kubernetes-types/core/v1.d.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../field-error.ts";
import { portName } from "../names.ts";
import { negativeFault, portFault } from "../numbers.ts";

/** Returns the errors of a probe. `once`: successThreshold must be 1; `isReadiness`: failures do not stop the container. */
export function probeErrors(
  probe: Probe,
  field: string,
  { once, isReadiness = false }: { once: boolean; isReadiness?: boolean },
): FieldError[] {
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
    ...graceErrors(probe, `${field}.terminationGracePeriodSeconds`, isReadiness),
  ];
}

function graceErrors(
  { terminationGracePeriodSeconds: grace }: Probe,
  field: string,
  isReadiness: boolean,
): FieldError[] {
  if (grace === undefined) return [];
  if (isReadiness) return [invalidValue(field, grace, "must not be set for readinessProbes")];
  return grace > 0 ? [] : [invalidValue(field, grace, "must be greater than 0")];
}

/** Returns the errors of a lifecycle hook. `grace`: the pod's grace period in seconds. */
export function hookErrors(hook: LifecycleHandler, field: string, grace: number): FieldError[] {
  const seconds = hook.sleep?.seconds;
  const text = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
  return [
    ...handlerErrors(hook, field),
    ...(seconds !== undefined && (seconds < 0 || seconds > grace)
      ? [invalidValue(`${field}.sleep`, seconds, text)]
      : []),
  ];
}

function handlerErrors(handler: LifecycleHandler & Pick<Probe, "grpc">, field: string): FieldError[] {
  const { exec, httpGet, tcpSocket, grpc } = handler;
  const kinds = (["exec", "httpGet", "tcpSocket", "grpc"] as const).filter((kind) => handler[kind] !== undefined);
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
          ...(httpGet.httpHeaders ?? []).flatMap(({ name }) =>
            headerName(name).map((fault) => invalidValue(`${field}.httpGet.httpHeaders`, name, fault)),
          ),
        ]
      : []),
    ...(tcpSocket ? portErrors(tcpSocket.port, `${field}.tcpSocket.port`) : []),
    ...(grpc ? portErrors(grpc.port, `${field}.grpc.port`) : []),
    ...others.map((kind) => forbiddenField(`${field}.${kind}`, "may not specify more than 1 handler type")),
    ...(kinds.length === 0 && !sleeps ? [required(field, "must specify a handler type")] : []),
  ];
}

function portErrors(port: number | string, field: string): FieldError[] {
  if (typeof port === "string") return portName(port).map((fault) => invalidValue(field, port, fault));
  const fault = portFault(port);
  return fault === undefined ? [] : [invalidValue(field, port, fault)];
}

function headerName(name: string): readonly string[] {
  const shape = "[-A-Za-z0-9]+";
  const text = `a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '${shape}')`;
  return /^[-A-Za-z0-9]+$/.test(name) ? [] : [text];
}
