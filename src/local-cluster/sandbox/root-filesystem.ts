import type { Files } from "../../host/host.ts";
import { hostRoot } from "./host-root.ts";
import { mapUser } from "./identity.ts";
import { dropsCapabilities, enterLimited } from "./limited-root.ts";
import { mountedPath } from "./mounted-path.ts";
import type { ContainerProcess, Mount } from "./sandbox.ts";
import { restoreEnvironment } from "./shell-environment.ts";
import { shellQuote } from "./shell-quote.ts";

/**
 * Root filesystem of a container that uses an image's own files only.
 *
 * The image is at `/image` of a root with this machine's programs, read-only. One of these programs enters the image last,
 * because an image may lack programs that switch users. It creates a user namespace before: the mounts belong to the namespace
 * outside, so that even user 0 cannot change them. A process that escapes from its root only finds the programs.
 */
export interface RootFilesystem {
  /** Directory that shows the image's files after `lines` ran. */
  readonly mountPoint: string;
  /** Shell commands that assemble it in a separate mount namespace: an overlay, else a copy. */
  readonly lines: readonly string[];
  /** This machine's programs, and the container's mounts below `/image`, with targets resolved through the image's links. */
  readonly mounts: readonly Mount[];
  /** Working directory, below `/image`. */
  readonly workingDirectory: string;
  /** Command prefix that enters the image as the container's user. */
  readonly prefix: readonly string[];
  /** Command prefix that enters the image from the root of its mount namespace as its user 0 without the capabilities that it drops. */
  readonly limited: readonly string[] | undefined;
}

/** Directory of the image in the root of programs. */
export const imageDirectory = "/image";

/**
 * Returns the root filesystem of a container that runs on an image's own files, else `undefined`. Changes that the
 * container makes are stored in its directory.
 */
export function rootFilesystem(files: Files, container: ContainerProcess): RootFilesystem | undefined {
  const { mounts, directory, workingDirectory } = container;
  const root = mounts.find((mount) => mount.target === "/");
  if (root?.kind !== "bind" || root.isCopyOnWrite !== true) return undefined;
  const mountPoint = `${directory}/image`;
  const [lower, upper, work] = [root.source, `${directory}/upper`, `${directory}/work`];
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work},userxattr`;
  // While the root is assembled, a link of the image, such as /var/run, would lead out of it.
  const inside = (path: string) => {
    const resolved = mountedPath(files, [root], path);
    return resolved === undefined ? path : resolved.slice(root.source.length) || "/";
  };
  const { capabilities } = container;
  const entry = { root: imageDirectory, workingDirectory: inside(workingDirectory), capabilities };
  const limited = dropsCapabilities(container) ? enterLimited(files, entry) : undefined;
  const own = mounts.filter((mount) => mount !== root);
  return {
    mountPoint,
    lines: [
      `mkdir -p ${[mountPoint, upper, work].map(shellQuote).join(" ")}`,
      // Copy if the kernel or the filesystem does not allow overlays, or a path contains a comma, which ends an
      // option.
      `mount -t overlay -o ${shellQuote(options)} overlay ${shellQuote(mountPoint)} 2>/dev/null || cp -a ${shellQuote(`${lower}/.`)} ${shellQuote(mountPoint)}`,
    ],
    mounts: [...programs(files), ...own.map((mount) => ({ ...mount, target: imageDirectory + inside(mount.target) }))],
    workingDirectory: imageDirectory + inside(workingDirectory),
    prefix: [
      ...restoreEnvironment(container.env),
      ...mapUser(container),
      ...(limited === undefined
        ? [`--root=${imageDirectory}`, `--wd=${inside(workingDirectory)}`, "--"]
        : ["--", ...limited]),
    ],
    limited,
  };
}

/** Lists the mounts of programs that enter an image; they use its `/proc` and `/dev`. */
function programs(files: Files): readonly Mount[] {
  const links = ["/proc", "/dev"].map((target): Mount => ({ kind: "link", to: imageDirectory + target, target }));
  return [...hostRoot(files).filter(({ kind }) => kind !== "temporary"), ...links];
}
