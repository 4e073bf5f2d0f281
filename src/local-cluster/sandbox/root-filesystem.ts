import type { Files } from "../../host/host.ts";
import { mountedPath } from "./mounted-path.ts";
import type { ContainerProcess, Mount } from "./sandbox.ts";
import { shellQuote } from "./shell-quote.ts";

/** Root filesystem of a container that uses an image's own files only. */
export interface RootFilesystem {
  /** Directory that shows the image's files after `lines` ran. */
  readonly mountPoint: string;
  /** Shell commands that assemble it in a separate mount namespace: an overlay, else a copy. */
  readonly lines: readonly string[];
  /** Mounts below the root, with targets resolved through the image's links. */
  readonly mounts: readonly Mount[];
  readonly workingDirectory: string;
}

/**
 * Returns the root filesystem of a container that runs on an image's own files, else `undefined`. Changes that the
 * container makes are stored in its directory.
 */
export function rootFilesystem(files: Files, container: ContainerProcess): RootFilesystem | undefined {
  const { mounts, directory, workingDirectory } = container;
  const root = mounts.find((mount) => mount.target === "/");
  if (root?.kind !== "bind" || root.isCopyOnWrite !== true) return undefined;
  const mountPoint = `${directory}/root`;
  const [lower, upper, work] = [root.source, `${directory}/upper`, `${directory}/work`];
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work},userxattr`;
  // While the root is assembled, a link of the image, such as /var/run, would lead out of it.
  const inside = (path: string) => {
    const resolved = mountedPath(files, [root], path);
    return resolved === undefined ? path : resolved.slice(root.source.length) || "/";
  };
  return {
    mountPoint,
    lines: [
      `mkdir -p ${[mountPoint, upper, work].map(shellQuote).join(" ")}`,
      // Copy if the kernel or the filesystem does not allow overlays, or a path contains a comma, which ends an
      // option.
      `mount -t overlay -o ${shellQuote(options)} overlay ${shellQuote(mountPoint)} 2>/dev/null || cp -a ${shellQuote(`${lower}/.`)} ${shellQuote(mountPoint)}`,
    ],
    mounts: mounts.filter((mount) => mount !== root).map((mount) => ({ ...mount, target: inside(mount.target) })),
    workingDirectory: inside(workingDirectory),
  };
}
