import type { ContainerProcess } from "./sandbox.ts";

/**
 * Mechanism by which a container's first process becomes its user.
 *
 * `mapped`: the current user is unprivileged and appears under the requested ID in a user namespace; it owns the
 * files that the container writes. `switched`: the current user is root and changes to the requested user
 * permanently; user 0 stays, without any capability.
 */
export type Identity = "mapped" | "switched";

/** Command prefix that removes all capabilities of user 0. */
export const dropCapabilities: readonly string[] = [
  "/usr/bin/setpriv",
  "--inh-caps=-all",
  "--bounding-set=-all",
  "--no-new-privs",
  "--",
];

/**
 * Returns the command prefix by which root becomes the container's user, for a container with `/usr/bin/setpriv`.
 *
 * Drops all capabilities and prevents programs from gaining new ones.
 */
export function switchUser({ uid, gid, groups }: Pick<ContainerProcess, "uid" | "gid" | "groups">): string[] {
  const [setpriv = "", ...dropping] = dropCapabilities;
  return [
    setpriv,
    `--reuid=${uid}`,
    `--regid=${gid}`,
    groups.length === 0 ? "--clear-groups" : `--groups=${groups.join(",")}`,
    ...dropping,
  ];
}
