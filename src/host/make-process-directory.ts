import type { Host } from "./host.ts";
import { isRunning } from "./is-running.ts";
import { removeTree } from "./remove-tree.ts";

/**
 * Creates a private directory `PREFIX<process ID>-<random>` for this process. Removes those of this user's processes on this machine
 * that were killed.
 *
 * @param prefix path of an existing directory, then the start of the names, which can be empty
 * @throws Node's error
 */
export function makeProcessDirectory(host: Host, prefix: string): string {
  const slash = prefix.lastIndexOf("/");
  const parent = prefix.slice(0, slash);
  const start = prefix.slice(slash + 1);
  for (const name of host.files.list(parent) ?? []) {
    const [, id] = name.startsWith(start) ? (/^(\d+)-/.exec(name.slice(start.length)) ?? []) : [];
    if (id !== undefined && isOwn(host, `${parent}/${name}`) && !isRunning(host, Number(id)))
      removeTree(host.files, `${parent}/${name}`);
  }
  return host.files.makeTemporaryDirectory(`${prefix}${host.pid}-`);
}

/** In /tmp, another user could give a directory such a name, and replace its content while it is removed. */
function isOwn({ files, user }: Host, path: string): boolean {
  const info = files.info(path, { followLinks: false });
  return info?.kind === "directory" && info.uid === user.uid;
}
