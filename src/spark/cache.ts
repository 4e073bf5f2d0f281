import type { Host } from "../host/host.ts";
import { makeProcessDirectory } from "../host/make-process-directory.ts";
import { removeTree } from "../host/remove-tree.ts";

/** Installs in a new directory beside `target`. Removes the directory in any case, even when a signal ends the process. */
export async function inInstallDirectory<T>(
  host: Host,
  target: string,
  install: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = makeInstallDirectory(host, target);
  const unsubscribes = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) =>
    host.onSignal(signal, () => {
      cleanUp();
      // Repeat the signal for its default action.
      host.kill(host.pid, signal);
    }),
  );
  const cleanUp = () => {
    for (const unsubscribe of unsubscribes) unsubscribe();
    removeTree(host.files, directory);
  };
  try {
    return await install(directory);
  } finally {
    cleanUp();
  }
}

/**
 * Creates a directory beside `target`, on the same file system, in which to build `target` before the rename.
 *
 * Removes what earlier, killed installations on this machine left there.
 */
export function makeInstallDirectory(host: Host, target: string): string {
  const slash = target.lastIndexOf("/");
  const parent = target.slice(0, slash);
  host.files.makeDirectory(parent);
  return makeProcessDirectory(host, `${parent}/.install-`);
}

/** Finished installation and its target. */
interface Installation {
  /** Finished directory, from `makeInstallDirectory`. */
  readonly finished: string;
  readonly target: string;
  /** Whether the target exists and is usable. An installation that another process finished first is kept. */
  readonly isUsable: () => boolean;
}

/** Moves a finished directory to its target and replaces a partial installation. */
export function moveInstallation({ files }: Host, { finished, target, isUsable }: Installation): void {
  if (!isUsable()) removeTree(files, target);
  try {
    files.rename(finished, target);
  } catch (error) {
    if (!isUsable()) throw error;
  }
}
