import type { Host } from "../../host/host.ts";

/** Returns whether the arguments request help or the version, which start no JVM. */
export function isHelpRequest({ argv }: Host): boolean {
  return argv.some((arg) => ["--help", "-h", "--version"].includes(arg));
}
