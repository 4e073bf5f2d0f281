/** Prefix of the variables that hold those whose names a shell does not pass on; the rest is the name in hexadecimal. */
const encodedPrefix = "FIRESTEEL_VARIABLE_";

/** Source: POSIX, XBD 3.216 "Name". A POSIX shell may drop other variables that it inherits, and dash does. */
const shellName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Renames variables such as `db.password` to names that survive the shells between the cluster and a container's program.
 * `restoreEnvironment` reverses it.
 */
export function encodeEnvironment(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      const isEncoded = !shellName.test(name) || name.startsWith(encodedPrefix);
      return [isEncoded ? `${encodedPrefix}${Buffer.from(name).toString("hex")}` : name, value];
    }),
  );
}

/**
 * Returns the command prefix that gives encoded variables their names; empty if there are none. It must be after the last shell.
 *
 * Only the names are in the arguments of long-running processes, because values may be secrets.
 */
export function restoreEnvironment(env: Readonly<Record<string, string>>): readonly string[] {
  const encoded = Object.keys(env).filter((name) => name.startsWith(encodedPrefix));
  if (encoded.length === 0) return [];
  const names = encoded.map((name) => Buffer.from(name.slice(encodedPrefix.length), "hex").toString("utf8"));
  const unset = encoded.map((name) => `-u ${name}`).join(" ");
  const set = names.map((name, index) => `${doubleQuoted(`${name}=`)}"$${encoded[index]}"`).join(" ");
  return ["/bin/sh", "-c", `exec /usr/bin/env ${unset} -- ${set} "$@"`, "sh"];
}

function doubleQuoted(text: string): string {
  return `"${text.replaceAll(/["$`\\]/g, "\\$&")}"`;
}
