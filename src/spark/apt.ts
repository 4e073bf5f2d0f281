import type { Host } from "../host/host.ts";
import type { Progress } from "../host/progress.ts";
import { lastLine, runCommand } from "../host/run-command.ts";
import { showGrowth } from "./show-growth.ts";

/** Debian packages without root: queried and downloaded, never installed. */
export interface Apt {
  /** Downloads the archives of packages to a directory. */
  readonly download: (packages: readonly string[], directory: string) => Promise<AptResult>;
  /** Lists the `Depends` of a package. */
  readonly dependencies: (name: string) => Promise<readonly string[]>;
}

/** Result of a download: paths of the archives, or the reason for failure. */
export type AptResult =
  | { readonly ok: true; readonly archives: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/** Opens apt with the system's package lists. `undefined` on a machine without apt. */
export async function openApt(host: Host, progress: Progress): Promise<Apt | undefined> {
  for (const command of ["apt-get", "dpkg"]) {
    if ((await runCommand(host, [command, "--version"])).code !== 0) return undefined;
  }
  return aptWith(host, progress, sandboxOptions(host));
}

/**
 * Opens apt with its own fresh package lists below `work`, for a machine whose lists are missing (as in most
 * containers) or too old.
 *
 * @returns the reason as text when the lists cannot be fetched.
 */
export async function openFreshApt(host: Host, progress: Progress, work: string): Promise<Apt | string> {
  for (const directory of ["lists/partial", "cache/archives/partial"]) {
    host.files.makeDirectory(`${work}/${directory}`);
  }
  const options = [
    ...sandboxOptions(host),
    ...["-o", `Dir::State::lists=${work}/lists`, "-o", `Dir::Cache=${work}/cache`],
  ];
  progress.note("Downloading the package lists of this system.");
  const update = await runCommand(host, ["apt-get", ...options, "update"]);
  return update.code === 0 ? aptWith(host, progress, options) : lastLine(update.stderr);
}

/** Root's apt downloads as another user, which has no access to Firesteel's cache. */
function sandboxOptions(host: Host): readonly string[] {
  return host.user.uid === 0 ? ["-o", "APT::Sandbox::User=root"] : [];
}

function aptWith(host: Host, progress: Progress, options: readonly string[]): Apt {
  return {
    async download(packages, directory) {
      const known = await runCommand(host, ["apt-get", ...options, "download", "--print-uris", ...packages]);
      if (known.code !== 0) return { ok: false, reason: lastLine(known.stderr) };
      host.files.makeDirectory(directory);
      const sizes = [...known.stdout.matchAll(/^'\S+' \S+ (\d+)/gm)].map(([, size]) => Number(size));
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const ended = runCommand(host, ["apt-get", ...options, "download", ...packages], { cwd: directory });
      const measure = () => bytesIn(host, directory);
      const what = packages.join(", ");
      const got = await showGrowth(host, progress, { what, measure, total: () => total, ended });
      if (got.code !== 0) return { ok: false, reason: lastLine(got.stderr) };
      return { ok: true, archives: debsIn(host, directory) };
    },
    async dependencies(name) {
      const output = await runCommand(host, ["apt-cache", ...options, "depends", "--important", name]);
      return [...output.stdout.matchAll(/^ {2}Depends: ([^<\s]+)$/gm)].flatMap(([, dependency]) => dependency ?? []);
    },
  };
}

function bytesIn(host: Host, directory: string): number {
  const sizes = debsIn(host, directory).map((path) => host.files.info(path)?.sizeBytes ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

function debsIn(host: Host, directory: string): readonly string[] {
  return (host.files.list(directory) ?? [])
    .filter((name) => name.endsWith(".deb"))
    .map((name) => `${directory}/${name}`);
}
