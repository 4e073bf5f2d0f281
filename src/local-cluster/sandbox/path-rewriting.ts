import type { Mount } from "./sandbox.ts";

/**
 * Returns a function that replaces paths of a container in a text by paths of this machine, for containers without
 * mounts.
 *
 * Replaces complete paths only: with `/opt/spark` mounted, `local:///opt/spark/jars/x.jar` changes and
 * `/srv/opt/spark` does not. Paths that the container shares with this machine stay.
 */
export function pathRewriter(mounts: readonly Mount[], root: string): (text: string) => string {
  const targets = mounts.filter((mount) => !isSharedAsIs(mount)).map(({ target }) => target);
  if (targets.length === 0) return (text) => text;
  // Longest first, so that a mount below another one matches.
  const paths = [...new Set(targets)].sort((a, b) => b.length - a.length).map(literal);
  const pattern = new RegExp(`(?<=^|[^\\w.\\-/]|\\w:/{2})(?:${paths.join("|")})(?![\\w.\\-])`, "gm");
  return (text) => text.replace(pattern, (path) => `${root}${path}`);
}

/** Returns true when the container and this machine have the same, or equivalent, content at the path. */
export function isSharedAsIs(mount: Mount): boolean {
  switch (mount.kind) {
    case "bind":
      return mount.source === mount.target;
    case "temporary":
      return ["/tmp", "/run", "/var/tmp"].includes(mount.target);
    case "link":
      return /^\/(bin|sbin|lib(32|64|x32)?)$/.test(mount.target);
  }
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
