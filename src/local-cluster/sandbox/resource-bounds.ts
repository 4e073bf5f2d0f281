import type { Container } from "../../kube/types.ts";
import { parseQuantity } from "../../values/quantity.ts";

/** Resources that a container may use; `undefined` means unlimited. */
export interface ResourceBounds {
  readonly memoryBytes: number | undefined;
  readonly cpuLimitMillis: number | undefined;
  /** Share when CPUs are contended, in thousandths of a CPU. */
  readonly cpuRequestMillis: number;
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
