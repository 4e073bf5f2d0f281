import type { Container } from "../../kube/types.ts";
import { parseQuantity } from "../../values/quantity.ts";

/** What a container may use of this machine; `undefined` where it has no limit. */
export interface ResourceBounds {
  readonly memoryBytes: number | undefined;
  readonly cpuLimitMillis: number | undefined;
  /** Its share when CPUs are short, in thousandths of a CPU. */
  readonly cpuRequestMillis: number;
}

const nanoPerMilli = 1_000_000n;
const nanoPerUnit = 1_000_000_000n;

/** The bounds that a container's resources tell. */
export function boundsOf({ resources = {} }: Pick<Container, "resources">): ResourceBounds {
  const amount = (text: string | undefined, nano: bigint): number | undefined => {
    const quantity = text === undefined ? undefined : parseQuantity(text);
    // Kubernetes takes a limit of nothing for none.
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
