import { resolve } from "node:path";
import { propertiesSettings } from "../conf/properties-settings.ts";
import type { Host } from "../host/host.ts";

/**
 * Reads the settings of a server's properties file: the keys that begin with `spark.`, with references replaced. `found` is
 * `undefined` if there is no such file.
 */
export function readPropertiesFile({ files, env, cwd }: Pick<Host, "files" | "env" | "cwd">, path: string) {
  const absolute = resolve(cwd, path);
  const text = files.info(absolute)?.kind === "file" ? files.readText(absolute) : undefined;
  return { path: absolute, found: text === undefined ? undefined : propertiesSettings(text, env) };
}
