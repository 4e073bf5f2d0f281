import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const isRoot = process.getuid?.() === 0;

/** Checks of what some tests require of the machine. The closing lines of a run list the tests that were skipped, by requirement. */
const checks = {
  Linux: () => process.platform === "linux",
  "Linux on x64": () => process.platform === "linux" && process.arch === "x64",
  bubblewrap: () => succeeds("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "true"),
  "mount namespaces": () => succeeds("unshare", ...(isRoot ? ["-m"] : ["-rm"]), "true"),
  "user namespaces": () => succeeds("unshare", "-rm", "true"),
  "namespaces of ordinary users": () =>
    isRoot
      ? succeeds("setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", "unshare", "-rm", "true")
      : succeeds("unshare", "-rm", "true"),
  "network namespaces": () =>
    succeeds("sh", "-c", "command -v ip && command -v pasta && { command -v nft || command -v iptables; }") &&
    (isRoot
      ? succeeds("setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", "unshare", "-rn", "true")
      : succeeds("unshare", "-rn", "true")),
  "a project that all users can read": () =>
    !isRoot ||
    succeeds("setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", "test", "-r", import.meta.filename),
  "ports below 1024": () =>
    isRoot || Number(readFileSync("/proc/sys/net/ipv4/ip_unprivileged_port_start", "utf8")) <= 53,
  "the permission to mount": () => isRoot && succeeds("unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"),
  OpenSSL: () => succeeds("openssl", "version"),
  "GNU tar": () => succeeds("sh", "-c", "tar --version | grep -q 'GNU tar'"),
  "a Java compiler": () => succeeds("javac", "-version"),
  "Java 25": () => java25() !== undefined,
  "the MIT KDC": () => succeeds("sh", "-c", "command -v krb5kdc && command -v kadmin.local && command -v kinit"),
  faketime: () => succeeds("faketime", "-f", "+1h", "true"),
  "a compiler with the headers of Kerberos": () =>
    succeeds("sh", "-c", "krb5-config --libs gssapi && c++ --version && make --version"),
  man: () => succeeds("sh", "-c", "command -v man && command -v groff"),
  Chromium: () => succeeds("chromium", "--version"),
  zsh: () => succeeds("zsh", "--version"),
  fish: () => succeeds("fish", "--version"),
  Maven: () => succeeds("mvn", "--version"),
  R: () => succeeds("Rscript", "--version"),
  "Python 3.10 with venv": () =>
    succeeds("python3", "-c", "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))"),
  "Buildah, debootstrap and docker-registry as root": () =>
    isRoot &&
    succeeds("buildah", "--version") &&
    succeeds("sh", "-c", "command -v debootstrap") &&
    succeeds("docker-registry", "--help"),
  "Debian's packages": () => existsSync("/usr/bin/python3") && succeeds("apt-get", "--version"),
} as const satisfies Readonly<Record<string, () => boolean>>;

/** Name of something that a test requires of the machine. */
export type Requirement = keyof typeof checks;

/** Something that a test requires and that is not available. */
export interface Missing {
  /** Note of the skipped tests: `requires NAME`, then the reason. */
  readonly missing: string;
}

/** Requirements of the sandboxes of the embedded cluster. */
export const sandboxRequirements = { bwrap: "bubblewrap", unshare: "mount namespaces", process: {} } as const;

const results = new Map<string, boolean>();

/** Returns whether this machine has what a note requires; `undefined` if the note names no requirement of the table. */
export function isFulfilled(note: string): boolean | undefined {
  const name = note.replace(/^requires /, "").replace(/:[\s\S]*$/, "");
  const check = Object.entries(checks).find(([requirement]) => requirement === name)?.[1];
  if (check === undefined) return undefined;
  const result = results.get(name) ?? check();
  results.set(name, result);
  return result;
}

/** Returns what is missing of a requirement; `undefined` if nothing is. */
export function missingOf(required: Requirement | Missing | object): string | undefined {
  if (typeof required !== "string") return "missing" in required ? String(required.missing) : undefined;
  const note = `requires ${required}`;
  return isFulfilled(note) === true ? undefined : note;
}

/** Returns the value if it is available. @throws Error if it is missing: the test should have been skipped */
export function available<T extends object>(value: T | Missing): T {
  if ("missing" in value) throw new Error(String(value.missing));
  return value;
}

/** Returns the home of Java 25 where Linux distributions install it. */
export function java25(): string | undefined {
  const directory = "/usr/lib/jvm";
  const homes = existsSync(directory) ? readdirSync(directory).map((name) => join(directory, name)) : [];
  return homes.find((home) => /(^|\D)25(\D|$)/.test(home) && existsSync(join(home, "bin", "java")));
}

function succeeds(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}
