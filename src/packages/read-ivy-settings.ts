import { failure, type Result, success } from "../errors/issue.ts";
import { absolutePath } from "../host/absolute-path.ts";
import type { Host } from "../host/host.ts";
import { type IvySettings, parseIvySettings } from "./ivy-settings.ts";

/**
 * Reads the file that a setting names by a path or a `file:` URI. Returns `undefined` without a setting.
 *
 * Errors: SUBMIT_ERR_IVY_SETTINGS_SCHEME, SUBMIT_ERR_IVY_SETTINGS.
 */
export function readIvySettings(
  host: Host,
  { key, value }: { readonly key: string; readonly value: string | undefined },
): Result<IvySettings | undefined> {
  if (value === undefined) return success(undefined);
  const { scheme, path } = ivySettingsFile(host, value);
  if (scheme !== "file") return failure("SUBMIT_ERR_IVY_SETTINGS_SCHEME", { scheme, key });
  const info = host.files.info(path);
  const text = info?.kind === "file" ? host.files.readText(path) : undefined;
  if (text !== undefined) return parseIvySettings({ path, text, env: host.env, home: host.user.home });
  const reason = info === undefined ? "does not exist" : "is not a normal file";
  return failure("SUBMIT_ERR_IVY_SETTINGS", { path, reason });
}

/** Splits the location of a settings file into its scheme and its absolute path. */
export function ivySettingsFile(
  host: Pick<Host, "cwd">,
  uri: string,
): { readonly scheme: string; readonly path: string } {
  const [, scheme = "file", location = uri] = /^([a-zA-Z][\w+.-]*):(.*)$/.exec(uri) ?? [];
  return { scheme, path: absolutePath(host, location.replace(/^\/\/+/, "/")) };
}
