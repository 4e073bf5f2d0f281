/** A user of an image. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** The administrator. */
export const rootAccount: Account = { name: "root", uid: 0, gid: 0, home: "/root" };
const nobody: Account = { name: "nobody", uid: 65534, gid: 65534, home: "/nonexistent" };

/** Builds `/etc/passwd` with root, `nobody` and an image's own user. */
export function passwdText(own?: Account): string {
  return [rootAccount, ...(own === undefined ? [] : [own]), nobody].map(passwdLine).join("");
}

/** Builds `/etc/group` for the same users. */
export function groupText(own?: Account): string {
  const isNew = own !== undefined && own.gid !== 0;
  return ["root:x:0:\n", ...(isNew ? [`${own.name}:x:${own.gid}:\n`] : []), "nogroup:x:65534:\n"].join("");
}

/**
 * Returns an image's users plus an entry for `uid` if it is missing: Hadoop's login fails for a user without a name.
 */
export function withUser(users: string, { uid, gid }: { readonly uid: number; readonly gid: number }): string {
  const isKnown = users.split("\n").some((line) => line.split(":")[2] === String(uid));
  return isKnown ? users : users + passwdLine({ name: `user${uid}`, uid, gid, home: "/" });
}

/** Returns the home directory of a user, for the variable HOME; `/` when the users have no such entry. */
export function homeOf(users: string, uid: number): string {
  const line = users.split("\n").find((candidate) => candidate.split(":")[2] === String(uid));
  return line?.split(":")[5] ?? "/";
}

function passwdLine({ name, uid, gid, home }: Account): string {
  return `${name}:x:${uid}:${gid}:${name}:${home}:/bin/false\n`;
}
