import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { overrideHost } from "../host/override-host.ts";

/** Exports every variable that the script sets, and prints the environment to file descriptor 3. */
const script = 'set -a; . "$0"; set +a; env -0 >&3';

/**
 * Runs a script in bash, and returns the host with the environment that it leaves.
 *
 * @throws SUBMIT_ERR_SPARK_ENV if the script calls `exit`, or bash is missing
 */
export async function runSparkEnv(
  host: Host,
  { directory, path }: { readonly directory: string; readonly path: string },
): Promise<Host> {
  const env = { ...host.env, SPARK_ENV_LOADED: "1", SPARK_CONF_DIR: directory };
  const child = host.spawn("bash", ["-c", script, path.includes("/") ? path : `./${path}`], {
    env,
    stdout: "inherit",
    stderr: "inherit",
    extraOutputs: 1,
  });
  const chunks: Uint8Array[] = [];
  child.onOutput(3, (chunk) => chunks.push(chunk));
  const { code, error } = await child.exited;
  const variables = readVariables(Buffer.concat(chunks).toString("utf8"));
  // Bash continues after a failing command, as in Spark's scripts; only `exit` ends the script.
  if (Object.keys(variables).length === 0) {
    const reason = error ?? `bash ended with exit code ${code}`;
    throw submitError("SUBMIT_ERR_SPARK_ENV", { path, reason });
  }
  const kept = Object.entries(host.env).filter(([name]) => bashOwn.has(name));
  return overrideHost(host, { env: { ...Object.fromEntries(kept), ...variables } });
}

/** Variables that bash itself changes. */
const bashOwn = new Set(["_", "SHLVL", "PWD", "OLDPWD"]);

function readVariables(text: string): Readonly<Record<string, string>> {
  const pairs = text
    .split("\0")
    .filter((line) => line.includes("="))
    .map((line): [string, string] => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
  return Object.fromEntries(pairs.filter(([name]) => !bashOwn.has(name)));
}
