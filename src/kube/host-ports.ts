import type { PodSpec } from "./types.ts";

interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly address: string;
}

/** Whether one of the pods uses a host port that the pod requests. Source: Kubernetes 1.35's scheduler. */
export function hasPortConflict(spec: PodSpec, others: Iterable<{ readonly spec: PodSpec }>): boolean {
  const requested = hostPorts(spec);
  if (requested.length === 0) return false;
  const used = [...others].flatMap((other) => hostPorts(other.spec));
  return requested.some((port) => used.some((other) => isSame(port, other)));
}

function hostPorts({ containers, initContainers = [] }: PodSpec): readonly HostPort[] {
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...containers, ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, protocol = "TCP", hostIP = "0.0.0.0" }) =>
      hostPort === 0 ? [] : [{ port: hostPort, protocol, address: hostIP }],
    ),
  );
}

function isSame(a: HostPort, b: HostPort): boolean {
  const isShared = [a.address, b.address].includes("0.0.0.0") || a.address === b.address;
  return a.port === b.port && a.protocol === b.protocol && isShared;
}
