import type { Container } from "../../kube/types.ts";
import { parseQuantity } from "../../values/quantity.ts";

/** Resources that a container may use; `undefined` means unlimited. */
export interface ResourceBounds {
  readonly memoryBytes: number | undefined;
  readonly cpuLimitMillis: number | undefined;
  /** Share when CPUs are contended, in thousandths of a CPU. */
  readonly cpuRequestMillis: number;
}

/**
 * Mechanism by which this machine enforces container limits: control groups limit memory and CPUs, or a periodic check
 * kills containers that use too much memory.
 */
export interface ResourceControl {
  /** Prepares a container that is about to start. */
  readonly confine: (bounds: ResourceBounds) => Confinement;
}

/** Limits applied to one container. */
export interface Confinement {
  /** Returns the command line that starts a command inside the confinement; it ends with the command itself. */
  readonly enter: (command: string, args: readonly string[]) => readonly [string, ...string[]];
  /** Called when the first process runs; all of the container's processes descend from it. */
  readonly onStarted: (pid: number) => void;
  /** Called when the container has ended. @returns whether any process was killed for memory. */
  readonly end: () => boolean;
}

const nanoPerMilli = 1_000_000n;
const nanoPerUnit = 1_000_000_000n;

/** Computes the bounds from a container's resources. */
export function boundsOf({ resources = {} }: Pick<Container, "resources">): ResourceBounds {
  const amount = (text: string | undefined, nano: bigint): number | undefined => {
    const quantity = text === undefined ? undefined : parseQuantity(text);
    // Kubernetes treats a limit of zero as no limit.
    if (quantity === undefined || quantity.nano <= 0n) return undefined;
    return Number((quantity.nano + nano - 1n) / nano);
  };
  const { limits = {}, requests = {} } = resources;
  return {
    memoryBytes: amount(limits["memory"], nanoPerUnit),
    cpuLimitMillis: amount(limits["cpu"], nanoPerMilli),
    cpuRequestMillis: amount(requests["cpu"] ?? limits["cpu"], nanoPerMilli) ?? 0,
  };
}
