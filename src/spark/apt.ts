import type { Host } from "../host/host.ts";
import type { Progress } from "../host/progress.ts";
import { lastLine, runCommand } from "./run-command.ts";
import { showGrowth } from "./show-growth.ts";

/** Debian packages without root: looked up and downloaded, never installed. */
export interface Apt {
  /** Archives of these packages, in a folder; or why not. */
  readonly download: (packages: readonly string[], folder: string) => Promise<AptResult>;
  /** The packages that one names as its `Depends`. */
  readonly dependencies: (name: string) => Promise<readonly string[]>;
}

/** What came of a download: paths of archives, or why there are none. */
export type AptResult =
  | { readonly ok: true; readonly archives: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/** Apt with the system's package lists; `undefined` on a machine without it. */
export async function openApt(host: Host, progress: Progress): Promise<Apt | undefined> {
  for (const command of ["apt-get", "dpkg"]) {
    if ((await runCommand(host, [command, "--version"])).code !== 0) return undefined;
  }
  return aptWith(host, progress, sandboxOptions(host));
}

/**
 * Apt with fresh package lists of its own below `work`: for a machine whose lists are missing (as in most containers) or too old.
 *
 * @returns the reason as text when the lists cannot be fetched.
 */
export async function openFreshApt(host: Host, progress: Progress, work: string): Promise<Apt | string> {
  for (const folder of ["lists/partial", "cache/archives/partial"]) {
    host.files.makeDirectory(`${work}/${folder}`);
  }
  const options = [
    ...sandboxOptions(host),
    ...["-o", `Dir::State::lists=${work}/lists`, "-o", `Dir::Cache=${work}/cache`],
  ];
  progress.note("Getting the package lists of this system.");
  const update = await runCommand(host, ["apt-get", ...options, "update"]);
  return update.code === 0 ? aptWith(host, progress, options) : lastLine(update.stderr);
}

/** Root's apt hands downloads to a user of its own, who may not enter our cache. */
function sandboxOptions(host: Host): readonly string[] {
  return host.user.uid === 0 ? ["-o", "APT::Sandbox::User=root"] : [];
}

function aptWith(host: Host, progress: Progress, options: readonly string[]): Apt {
  return {
    async download(packages, folder) {
      const known = await runCommand(host, ["apt-get", ...options, "download", "--print-uris", ...packages]);
      if (known.code !== 0) return { ok: false, reason: lastLine(known.stderr) };
      host.files.makeDirectory(folder);
      const sizes = [...known.stdout.matchAll(/^'\S+' \S+ (\d+)/gm)].map(([, size]) => Number(size));
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const ended = runCommand(host, ["apt-get", ...options, "download", ...packages], { cwd: folder });
      const measure = () => bytesIn(host, folder);
      const what = packages.join(", ");
      const got = await showGrowth(host, progress, { what, measure, total: () => total, ended });
      if (got.code !== 0) return { ok: false, reason: lastLine(got.stderr) };
      return { ok: true, archives: debsIn(host, folder) };
    },
    async dependencies(name) {
      const told = await runCommand(host, ["apt-cache", ...options, "depends", "--important", name]);
      return [...told.stdout.matchAll(/^ {2}Depends: ([^<\s]+)$/gm)].flatMap(
        ([, dependency]) => dependency ?? [],
      );
    },
  };
}

function bytesIn(host: Host, folder: string): number {
  const sizes = debsIn(host, folder).map((path) => host.files.info(path)?.sizeBytes ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

function debsIn(host: Host, folder: string): readonly string[] {
  return (host.files.list(folder) ?? [])
    .filter((name) => name.endsWith(".deb"))
    .map((name) => `${folder}/${name}`);
}
