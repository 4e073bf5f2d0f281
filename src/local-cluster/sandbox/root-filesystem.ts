import type { Files } from "../../host/host.ts";
import { mountedPath } from "./mounted-path.ts";
import type { ContainerProcess, Mount } from "./sandbox.ts";
import { shellQuote } from "./shell-quote.ts";

/** A container whose whole file system is an image's own. */
export interface RootFilesystem {
  /** The folder that shows the image's files, once `lines` ran. */
  readonly mountPoint: string;
  /** A shell's commands that make it, in a mount name space of its own: an overlay, else a copy. */
  readonly lines: readonly string[];
  /** What is mounted below, at the places that the image's links lead to. */
  readonly mounts: readonly Mount[];
  readonly workingDirectory: string;
}

/** The image's own root of a container, if it has one. What the container changes lies in its folder. */
export function rootFilesystem(files: Files, container: ContainerProcess): RootFilesystem | undefined {
  const { mounts, directory, workingDirectory } = container;
  const root = mounts.find((mount) => mount.target === "/");
  if (root?.kind !== "bind" || root.changes !== "apart") return undefined;
  const mountPoint = `${directory}/root`;
  const [lower, upper, work] = [root.source, `${directory}/upper`, `${directory}/work`];
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work},userxattr`;
  // A link of the image, such as /var/run, would lead out of it while it is put together.
  const inside = (path: string) => {
    const resolved = mountedPath(files, [root], path);
    return resolved === undefined ? path : resolved.slice(root.source.length) || "/";
  };
  return {
    mountPoint,
    lines: [
      `mkdir -p ${[mountPoint, upper, work].map(shellQuote).join(" ")}`,
      // Where the kernel or the file system has no overlays for us; and options end at a comma.
      `mount -t overlay -o ${shellQuote(options)} overlay ${shellQuote(mountPoint)} 2>/dev/null || cp -a ${shellQuote(`${lower}/.`)} ${shellQuote(mountPoint)}`,
    ],
    mounts: mounts
      .filter((mount) => mount !== root)
      .map((mount) => ({ ...mount, target: inside(mount.target) })),
    workingDirectory: inside(workingDirectory),
  };
}
