import type { Mount } from "./sandbox.ts";

/**
 * Makes texts that name paths of a container name this machine's paths instead, for containers without mounts.
 *
 * Whole paths only: with `/opt/spark` mounted, `local:///opt/spark/jars/x.jar` changes and `/srv/opt/spark` does not.
 * What a container shares with this machine under the same path stays.
 */
export function pathRewriter(mounts: readonly Mount[], root: string): (text: string) => string {
  const targets = mounts.filter((mount) => !isSharedAsIs(mount)).map(({ target }) => target);
  if (targets.length === 0) return (text) => text;
  // The longest first, so that a mount below another one is found.
  const paths = [...new Set(targets)].sort((a, b) => b.length - a.length).map(literal);
  const pattern = new RegExp(`(?<=^|[^\\w.\\-/]|\\w:/{2})(?:${paths.join("|")})(?![\\w.\\-])`, "gm");
  return (text) => text.replace(pattern, (path) => `${root}${path}`);
}

/** True for what a container sees where this machine has it, or has the like of it. */
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
