import type { Files } from "../../host/host.ts";
import { isWithin } from "../../values/is-within.ts";
import { cleanPath, parentOf } from "./container-path.ts";
import type { Mount } from "./sandbox.ts";

/**
 * Resolves a container's path to a path of this machine, following symbolic links as the container sees them.
 *
 * @returns the host's path, which may not exist; `undefined` when no mount provides it.
 */
export function mountedPath(files: Files, mounts: readonly Mount[], path: string): string | undefined {
  return follow(files, mounts, path, { linksLeft: 40 });
}

function follow(
  files: Files,
  mounts: readonly Mount[],
  path: string,
  budget: { linksLeft: number },
): string | undefined {
  let current = "";
  let found = hostPath(mounts, "/");
  const names = cleanPath(path).split("/").filter(Boolean);
  for (const [index, name] of names.entries()) {
    current = `${current}/${name}`;
    const link = linkAt(files, mounts, current);
    if (link !== undefined) {
      budget.linksLeft -= 1;
      if (budget.linksLeft < 0) return undefined;
      const target = link.startsWith("/") ? link : `${parentOf(current)}/${link}`;
      return follow(files, mounts, [target, ...names.slice(index + 1)].join("/"), budget);
    }
    found = hostPath(mounts, current);
  }
  return found;
}

/** Returns the mount visible at a container's path: the last one that covers it. */
export function mountAt(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.findLast(({ target }) => isWithin(path, target));
}

function linkAt(files: Files, mounts: readonly Mount[], path: string): string | undefined {
  const mount = mountAt(mounts, path);
  if (mount?.kind === "link") return mount.target === path ? mount.to : undefined;
  // A bind mount shows the target of its source, so a link at the source itself is not visible.
  if (mount?.kind !== "bind" || mount.target === path) return undefined;
  const onHost = joinBelow(mount.source, path, mount.target);
  return files.info(onHost, { followLinks: false })?.kind === "link" ? files.readLink(onHost) : undefined;
}

function hostPath(mounts: readonly Mount[], path: string): string | undefined {
  const mount = mountAt(mounts, path);
  return mount?.kind === "bind" ? joinBelow(mount.source, path, mount.target) : undefined;
}

function joinBelow(source: string, path: string, target: string): string {
  const rest = path === target ? "" : path.slice(target === "/" ? 0 : target.length);
  return `${source === "/" ? "" : source}${rest}` || "/";
}
