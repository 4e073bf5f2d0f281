import type { ContainerPort } from "../../../../kube/types.ts";
import { duplicate, type FieldError, invalidValue, notSupported, required } from "../field-error.ts";
import { portName } from "../names.ts";
import { portFault } from "../numbers.ts";

/** Returns the errors of duplicate host ports. */
export function hostPortErrors(
  containers: readonly { readonly ports?: readonly ContainerPort[] }[],
  path: string,
): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort = 0, hostIP = "", protocol = "" }, at) => {
      if (hostPort === 0) return [];
      const key = `${protocol}/${hostIP}/${hostPort}`;
      const isTaken = taken.has(key);
      taken.add(key);
      return isTaken ? [duplicate(`${path}[${index}].ports[${at}].hostPort`, key)] : [];
    }),
  );
}

/** Returns the warnings about a container's ports. */
export function warnOfPorts(ports: readonly ContainerPort[], path: string): string[] {
  const known = new Map<string, number>();
  return ports.flatMap((port, index) => {
    const { name = "", containerPort, hostPort = 0, protocol = "", hostIP = "" } = port;
    const field = `${path}[${index}]`;
    const key = JSON.stringify([containerPort, protocol, hostPort, hostIP]);
    const same = known.get(key) ?? index;
    known.set(key, same);
    const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
    return [
      ...(same < index ? [`${field}: duplicate port definition with ${path}[${same}]`] : []),
      ...(hostIP !== "" && hostPort === 0 ? [`${field}: hostIP set without hostPort: ${shown}`] : []),
    ];
  });
}

export const protocols: readonly string[] = ["SCTP", "TCP", "UDP"];

/** Returns the errors of a container's ports. */
export function validatePorts(
  ports: readonly ContainerPort[],
  path: string,
  { hostNetwork }: { hostNetwork: boolean },
): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name = "", containerPort, hostPort = 0, protocol = "" }, index) => {
    const field = `${path}[${index}]`;
    const faults = name === "" ? [] : portName(name);
    const errors = faults.map((fault) => invalidValue(`${field}.name`, name, fault));
    if (name !== "" && faults.length === 0) {
      if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
      names.add(name);
    }
    const fault = portFault(containerPort);
    if (containerPort === 0) errors.push(required(`${field}.containerPort`));
    else if (fault !== undefined) errors.push(invalidValue(`${field}.containerPort`, containerPort, fault));
    const hostFault = hostPort === 0 ? undefined : portFault(hostPort);
    if (hostFault !== undefined) errors.push(invalidValue(`${field}.hostPort`, hostPort, hostFault));
    if (protocol === "") errors.push(required(`${field}.protocol`));
    else if (!protocols.includes(protocol)) errors.push(notSupported(`${field}.protocol`, protocol, protocols));
    if (hostNetwork && hostPort !== containerPort) {
      errors.push(invalidValue(`${field}.hostPort`, hostPort, "must match `containerPort` when `hostNetwork` is true"));
    }
    return errors;
  });
}
