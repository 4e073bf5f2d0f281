import type { ContainerProcess } from "./sandbox.ts";

/**
 * Mechanism by which a container's first process becomes its user.
 *
 * `mapped`: the current user is unprivileged and appears under the requested ID in a user namespace; it owns the
 * files that the container writes. `switched`: the current user is root and changes to the requested user
 * permanently; user 0 stays, with the container's capabilities only.
 */
export type Identity = "mapped" | "switched";

const setpriv = "/usr/bin/setpriv";

/** Command prefix that prevents programs from gaining capabilities, e.g. by a set-user-ID program. */
export const withoutNewPrivileges: readonly string[] = [setpriv, "--no-new-privs", "--"];

/** Returns the command prefix that removes all capabilities but the container's. Other users than 0 then have none. */
export function limitCapabilities({ capabilities }: Pick<ContainerProcess, "capabilities">): string[] {
  return [setpriv, ...limits(capabilities), "--"];
}

/** Returns the command prefix by which root becomes the container's user, for a container with `/usr/bin/setpriv`. */
export function switchUser(container: Pick<ContainerProcess, "uid" | "gid" | "groups" | "capabilities">): string[] {
  const { uid, gid, groups, capabilities } = container;
  return [
    setpriv,
    `--reuid=${uid}`,
    `--regid=${gid}`,
    groups.length === 0 ? "--clear-groups" : `--groups=${groups.join(",")}`,
    ...limits(capabilities),
    "--",
  ];
}

function limits(capabilities: ContainerProcess["capabilities"]): string[] {
  const kept = capabilities.map((name) => `,+${name.toLowerCase()}`).join("");
  return ["--inh-caps=-all", `--bounding-set=-all${kept}`, "--no-new-privs"];
}

/** Returns the command prefix by which the current user appears as the container's user in another user namespace. */
export function mapUser({ uid, gid }: Pick<ContainerProcess, "uid" | "gid">): string[] {
  return [...withoutNewPrivileges, "/usr/bin/unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`];
}
