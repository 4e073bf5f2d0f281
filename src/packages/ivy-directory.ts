import { absolutePath } from "../host/absolute-path.ts";
import type { Host } from "../host/host.ts";

/** Returns Ivy's directory, absolute: the specified one, else the default, which is Spark's own since 4.0. */
export function ivyDirectoryOf(host: Host, specified: string | undefined, line: string): string {
  const chosen = specified?.trim() ?? "";
  if (chosen !== "") return absolutePath(host, chosen);
  return `${host.user.home}/${line.startsWith("3.") ? ".ivy2" : ".ivy2.5.2"}`;
}
