import type { Files } from "../../host/host.ts";
import { isWithin } from "../../values/is-within.ts";
import { parentOf } from "./container-path.ts";
import { isSharedAsIs } from "./path-rewriting.ts";
import type { Mount } from "./sandbox.ts";

/**
 * Creates a directory that replaces a container's root where mounting is not possible: links in place of bind mounts,
 * real directories where mounts nest, and rewritten copies of small text files. No mount may nest in a writable one.
 */
export function makeLinkRoot(
  files: Files,
  mounts: readonly Mount[],
  { root, rewrite }: { readonly root: string; readonly rewrite: (text: string) => string },
): void {
  files.remove(root);
  files.makeDirectory(root, { mode: 0o700 });
  for (const [index, mount] of mounts.entries()) {
    if (isSharedAsIs(mount)) continue;
    const path = `${root}${mount.target}`;
    files.remove(path);
    files.makeDirectory(`${root}${parentOf(mount.target)}`);
    if (mount.kind === "link") {
      files.link(mount.to.startsWith("/") ? rewrite(mount.to) : mount.to, path);
    } else if (mount.kind === "temporary") {
      files.makeDirectory(path);
      files.changeMode(path, mount.mode);
    } else if (mount.texts === true) {
      copyTexts(files, mount.source, path, rewrite);
    } else {
      const nested = mounts.slice(index + 1).map(({ target }) => target);
      linkTree(files, { source: mount.source, target: mount.target, root, nested });
    }
  }
}

interface Tree {
  readonly source: string;
  readonly target: string;
  readonly root: string;
  /** Targets of later mounts. */
  readonly nested: readonly string[];
}

/** Creates one link, or a directory of links if a later mount is below it. */
function linkTree(files: Files, { source, target, root, nested }: Tree): void {
  const below = nested.filter((path) => path !== target && isWithin(path, target));
  if (below.length === 0) {
    files.link(source, `${root}${target}`);
    return;
  }
  files.makeDirectory(`${root}${target}`);
  for (const name of files.list(source) ?? []) {
    linkTree(files, { source: `${source}/${name}`, target: `${target}/${name}`, root, nested: below });
  }
}

function copyTexts(files: Files, from: string, to: string, rewrite: (text: string) => string): void {
  const info = files.info(from);
  if (info?.kind === "directory") {
    files.makeDirectory(to);
    for (const name of files.list(from) ?? []) {
      // Skip the data directory behind a volume's links: the entries that the links show are copied under their own
      // names.
      if (!name.startsWith("..")) copyTexts(files, `${from}/${name}`, `${to}/${name}`, rewrite);
    }
    return;
  }
  const bytes = files.readBytes(from);
  if (info === undefined || bytes === undefined) return;
  files.write(to, bytes.includes(0) ? bytes : rewrite(Buffer.from(bytes).toString("utf8")));
  files.changeMode(to, info.mode | 0o600);
}
