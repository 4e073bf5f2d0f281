import type { ContainerProcess } from "./sandbox.ts";

/**
 * How a container's first process becomes its user.
 *
 * `mapped`: we are an ordinary user, who is shown under the wanted number in a user namespace; what the container
 * writes is ours. `switched`: we are root and change to the wanted user for good; user 0 stays, without any capability.
 */
export type Identity = "mapped" | "switched";

/** The words before a command of user 0 that leave it that name alone. */
export const dropCapabilities: readonly string[] = [
  "/usr/bin/setpriv",
  "--inh-caps=-all",
  "--bounding-set=-all",
  "--no-new-privs",
  "--",
];

/**
 * The words before a command that make root the container's user, for a container with `/usr/bin/setpriv`.
 *
 * Capabilities are dropped and no program can give new ones.
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
