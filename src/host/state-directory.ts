import { absolutePath } from "./absolute-path.ts";
import type { Host } from "./host.ts";
import { makeProcessDirectory } from "./make-process-directory.ts";

/**
 * Returns the directory for state that survives a command: `FIRESTEEL_STATE`, else `firesteel` in the user's state directory. It
 * contains keys and tokens.
 *
 * Source: XDG Base Directory Specification 0.8.
 */
export function stateDirectory(host: Pick<Host, "env" | "cwd" | "user">): string {
  const own = host.env["FIRESTEEL_STATE"];
  if (own !== undefined && own !== "") return absolutePath(host, own);
  const xdg = host.env["XDG_STATE_HOME"];
  return `${xdg?.startsWith("/") === true ? xdg : `${host.user.home}/.local/state`}/firesteel`;
}

/** Creates a private directory for this process, and removes those of processes that were killed. */
export function makePrivateDirectory(host: Host): string {
  const parent = `${stateDirectory(host)}/inside`;
  host.files.makeDirectory(parent, { mode: 0o700 });
  return makeProcessDirectory(host, `${parent}/`);
}
