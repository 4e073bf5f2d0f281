import type { StringMap } from "../kube/types.ts";
import { parseQuantity } from "../values/quantity.ts";

/** Short names: Spark's pods always request CPU and memory, but have a CPU limit only if a setting says so. */
const shortNames: Readonly<Record<string, string>> = { cpu: "requests.cpu", memory: "requests.memory" };

/** Parses `cpu=20,memory=64Gi,pods=50` to the limits of a ResourceQuota; `undefined` if it is not valid. */
export function parseQuota(text: string): StringMap | undefined {
  const limits = new Map<string, string>();
  for (const part of text.split(",")) {
    const [, name = "", quantity = ""] = /^([a-z0-9./-]+)=(.+)$/i.exec(part.trim()) ?? [];
    const key = (Object.hasOwn(shortNames, name) ? shortNames[name] : undefined) ?? name;
    const value = parseQuantity(quantity);
    if (key === "" || value === undefined || value.nano < 0n || limits.has(key)) return undefined;
    limits.set(key, quantity);
  }
  return Object.fromEntries(limits);
}
