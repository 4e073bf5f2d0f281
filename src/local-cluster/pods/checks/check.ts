import type { Clock } from "../../../host/host.ts";
import type { Container } from "../../../kube/types.ts";
import type { RunningContainer } from "../../sandbox/sandbox.ts";

/** A container that is asked something: by its probes, or by its hooks. */
export interface CheckTarget {
  readonly clock: Clock;
  readonly spec: Container;
  readonly container: RunningContainer;
  /** Of its pod. */
  readonly address: string;
}

/**
 * What came of it; `output` in the words of the kubelet, e.g. `HTTP probe failed with statuscode: 500`. `isOk` is
 * `undefined` when the question could not be asked, which says nothing of the container.
 */
export interface CheckResult {
  readonly isOk: boolean | undefined;
  readonly output: string;
  /** Of a command that ran to its end. */
  readonly exitCode?: number;
}

/** The number of a port that is given by number or by the container's name for it. @throws Error for an unknown name. */
export function portOf({ ports = [] }: Container, port: number | string): number {
  if (typeof port === "number") return port;
  const named = ports.find(({ name }) => name === port)?.containerPort;
  if (named !== undefined) return named;
  if (/^\d+$/.test(port)) return Number(port);
  throw new Error(`strconv.Atoi: parsing ${JSON.stringify(port)}: invalid syntax`);
}

/** A host and port as Go's network errors show them. */
export function dialError(address: string, error: NodeJS.ErrnoException): string {
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: "connect: connection refused",
    ECONNRESET: "read: connection reset by peer",
    EHOSTUNREACH: "connect: no route to host",
    ENETUNREACH: "connect: network is unreachable",
    ETIMEDOUT: "i/o timeout",
  };
  return `dial tcp ${address}: ${reasons[error.code ?? ""] ?? error.message}`;
}
