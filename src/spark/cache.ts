import type { Host } from "../host/host.ts";
import { isRunning } from "../host/is-running.ts";
import { removeTree } from "../host/remove-tree.ts";

/** Installs in a new folder beside `target`, which goes whatever becomes of it, also when a signal ends us. */
export async function inInstallDirectory<T>(
  host: Host,
  target: string,
  install: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = makeInstallDirectory(host, target);
  const silences = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) =>
    host.onSignal(signal, () => {
      leave();
      // What it does to us when nobody listens.
      host.kill(host.pid, signal);
    }),
  );
  const leave = () => {
    for (const silence of silences) silence();
    removeTree(host.files, directory);
  };
  try {
    return await install(directory);
  } finally {
    leave();
  }
}

/**
 * A new folder beside `target`, on the same file system, in which `target` is put together and then renamed.
 *
 * What earlier, killed installations of this machine left there is removed.
 */
export function makeInstallDirectory(host: Host, target: string): string {
  const slash = target.lastIndexOf("/");
  const parent = target.slice(0, slash);
  host.files.makeDirectory(parent);
  for (const name of host.files.list(parent) ?? []) {
    const pid = Number(/^\.install-(\d+)-/.exec(name)?.[1]);
    if (Number.isInteger(pid) && !isRunning(host, pid)) removeTree(host.files, `${parent}/${name}`);
  }
  return host.files.makeTemporaryDirectory(`${parent}/.install-${host.pid}-`);
}

/** What is installed, and where it is to be. */
export interface Installation {
  /** The finished folder, from `makeInstallDirectory`. */
  readonly finished: string;
  readonly target: string;
  /** Whether what lies there already is of use; when somebody else was quicker, theirs stays. */
  readonly isUsable: () => boolean;
}

/** Moves a finished folder to its place, where a part of an earlier one may be left. */
export function placeInstalled({ files }: Host, { finished, target, isUsable }: Installation): void {
  if (!isUsable()) removeTree(files, target);
  try {
    files.rename(finished, target);
  } catch (error) {
    if (!isUsable()) throw error;
  }
}
