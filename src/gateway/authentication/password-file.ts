import { messageOf, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { parseHtpasswd, type Verify } from "./htpasswd.ts";

const checkIntervalMs = 1000;

/**
 * Reads a password file, and reads it again after a change: a Secret that a pod mounts can change at any time. A changed
 * file that is invalid is reported, and changes nothing.
 *
 * @returns a function that returns the users now
 * @throws SubmitError SUBMIT_ERR_GATEWAY_PASSWORD_FILE, with every problem
 */
export function passwordFile(
  { files, clock }: Pick<Host, "files" | "clock">,
  path: string,
  log: ServerLog,
): () => ReadonlyMap<string, Verify> {
  let users = readUsers(files, path);
  let version = versionOf(files, path);
  let checkedMs = clock.monotonic();
  return () => {
    if (clock.monotonic() - checkedMs < checkIntervalMs) return users;
    checkedMs = clock.monotonic();
    const current = versionOf(files, path);
    if (current === version) return users;
    version = current;
    try {
      users = readUsers(files, path);
      log("INFO", "The password file has changed.", { path });
    } catch (error) {
      log("ERROR", "The changed password file is invalid, so the earlier one stays valid.", {
        reason: messageOf(error),
      });
    }
    return users;
  };
}

function readUsers(files: Host["files"], path: string): ReadonlyMap<string, Verify> {
  const parsed = parseHtpasswd(readFile(files, path));
  if (parsed.ok) return parsed.users;
  throw submitError("SUBMIT_ERR_GATEWAY_PASSWORD_FILE", { path, reason: parsed.problems.join("; ") });
}

function readFile(files: Host["files"], path: string): string {
  const reason = (text: string) => submitError("SUBMIT_ERR_GATEWAY_PASSWORD_FILE", { path, reason: text });
  try {
    const text = files.readText(path);
    if (text !== undefined) return text;
  } catch (error) {
    throw reason(messageOf(error));
  }
  throw reason("it does not exist");
}

function versionOf(files: Host["files"], path: string): string {
  const info = files.info(path);
  return info === undefined ? "" : [info.inode, info.modifiedMs, info.sizeBytes].join(":");
}
