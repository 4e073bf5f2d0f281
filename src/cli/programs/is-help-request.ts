import type { Host } from "../../host/host.ts";

/** What is answered without a start of anything. */
export function isHelpRequest({ argv }: Host): boolean {
  return argv.some((word) => ["--help", "-h", "--version"].includes(word));
}
