import type { Host } from "../../host/host.ts";

/** Prints warnings about a file to stderr. */
export function printWarnings({ stderr }: Pick<Host, "stderr">, warnings: readonly string[]): void {
  for (const text of warnings) stderr.write(`Warning: ${text}\n`);
}
