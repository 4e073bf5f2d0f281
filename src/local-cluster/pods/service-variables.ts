import type { ServicePort } from "../../kube/types.ts";

interface ServiceAddress {
  readonly name: string;
  readonly address: string;
  readonly ports: readonly ServicePort[];
}

/**
 * Builds the variables that describe a service to a container: `NAME_SERVICE_HOST`, `NAME_SERVICE_PORT[_PORTNAME]`,
 * and those of Docker links, `NAME_PORT…`.
 *
 * Source: Kubernetes, "Service", discovering by environment variables.
 */
export function serviceVariables({ name, address, ports }: ServiceAddress): Record<string, string> {
  const prefix = variableName(name);
  const [first] = ports;
  if (first === undefined) return {};
  const variables: Record<string, string> = {
    [`${prefix}_SERVICE_HOST`]: address,
    [`${prefix}_SERVICE_PORT`]: String(first.port),
    [`${prefix}_PORT`]: `${protocolOf(first)}://${address}:${first.port}`,
  };
  for (const port of ports) {
    if (port.name !== undefined && port.name !== "") {
      variables[`${prefix}_SERVICE_PORT_${variableName(port.name)}`] = String(port.port);
    }
    const link = `${prefix}_PORT_${port.port}_${protocolOf(port).toUpperCase()}`;
    variables[link] = `${protocolOf(port)}://${address}:${port.port}`;
    variables[`${link}_PROTO`] = protocolOf(port);
    variables[`${link}_PORT`] = String(port.port);
    variables[`${link}_ADDR`] = address;
  }
  return variables;
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}

function protocolOf({ protocol = "TCP" }: ServicePort): string {
  return protocol.toLowerCase();
}
