import type { Socket } from "node:net";
import type { Clock } from "../../../host/host.ts";
import type { Container } from "../../../kube/types.ts";
import type { RunningContainer } from "../../sandbox/sandbox.ts";

/** Container that a probe or a hook addresses. */
export interface CheckTarget {
  readonly clock: Clock;
  readonly spec: Container;
  readonly container: RunningContainer;
  /** Address of its pod. */
  readonly address: string;
  /** Connects to its pod, or to another address. Rejects with Node's error. */
  readonly connect: (address: string, port: number) => Promise<Socket>;
}

/**
 * Result of a probe or a hook; `output` is the kubelet's message, e.g. `HTTP probe failed with statuscode: 500`.
 * `isOk` is `undefined` when the check could not run, which says nothing about the container.
 */
export interface CheckResult {
  readonly isOk: boolean | undefined;
  readonly output: string;
  /** Exit code of a command that ran to completion. */
  readonly exitCode?: number;
}

/**
 * Returns the number of a port, given by number or by its name in the container's spec. @throws Error for an unknown
 * name.
 */
export function portOf({ ports = [] }: Container, port: number | string): number {
  if (typeof port === "number") return port;
  const named = ports.find(({ name }) => name === port)?.containerPort;
  if (named !== undefined) return named;
  if (/^\d+$/.test(port)) return Number(port);
  throw new Error(`strconv.Atoi: parsing ${JSON.stringify(port)}: invalid syntax`);
}

/** Formats a connection error as Go's network errors do. */
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
