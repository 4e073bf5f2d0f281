import { parseQuantity, printQuantity } from "../values/quantity.ts";
import type { PodView } from "./pod-view.ts";
import { printAmount } from "./resources.ts";
import { keys } from "./settings.ts";

/** Parts of the message about a container killed at its memory limit. */
interface MemoryAdvice {
  readonly limit: string;
  /** Components of the limit, in brackets. */
  readonly parts: string;
  readonly nextStep: string;
  readonly key: string;
}

/** Chooses the memory setting to raise, and its value. The heap is as requested, so the excess must be overhead. */
export function memoryAdvice({ role, main }: PodView, properties: Readonly<Record<string, string>>): MemoryAdvice {
  const text = main.spec?.resources?.limits?.["memory"];
  const limit = parseQuantity(text ?? "");
  const [heapKey, key] =
    role === "driver"
      ? [keys.driverMemory, keys.driverMemoryOverhead]
      : [keys.executorMemory, keys.executorMemoryOverhead];
  const heapText = properties[heapKey] ?? "1g";
  const limitMiB = limit && Number(limit.nano / 1_000_000_000n) / 2 ** 20;
  const heapMiB = sizeInMiB(heapText);
  const shown = text ?? "";
  const printed = limit === undefined ? shown : bothForms(shown, printAmount(limit, "memory"), printQuantity(limit));
  if (limitMiB === undefined || heapMiB === undefined || limitMiB <= heapMiB) {
    return { limit: printed, parts: ` (heap ${heapText})`, nextStep: `Raise ${key}.`, key };
  }
  const overhead = Math.round(limitMiB - heapMiB);
  const raised = Math.max(Math.ceil((overhead * 2) / 128) * 128, 512);
  return {
    limit: printed,
    parts: ` (heap ${heapText}, the rest, ${overhead} MiB, overhead)`,
    nextStep: `Raise ${key} to ${raised}m or more: the limit is then ${Math.round(heapMiB + raised)} MiB.`,
    key,
  };
}

function bothForms(...forms: readonly string[]): string {
  const [first = "", ...others] = [...new Set(forms)];
  const other = others.find((form) => form !== first);
  return other === undefined ? first : `${first} (${other})`;
}

/** Parses a Java size such as `512m` or `2g`; the default unit is MiB. */
function sizeInMiB(text: string): number | undefined {
  const match = /^(\d+)\s*([kmgtp]?)i?b?$/i.exec(text.trim());
  if (match === null) return undefined;
  const factors: Readonly<Record<string, number>> = {
    k: 1 / 1024,
    "": 1,
    m: 1,
    g: 1024,
    t: 1024 ** 2,
    p: 1024 ** 3,
  };
  return Number(match[1]) * (factors[match[2]?.toLowerCase() ?? ""] ?? 1);
}
