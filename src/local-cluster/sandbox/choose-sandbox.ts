import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { removeTree } from "../../host/remove-tree.ts";
import { bwrapSandbox } from "./bwrap-sandbox.ts";
import { cgroupControl } from "./cgroups.ts";
import { findProgram } from "./find-program.ts";
import { hostRoot } from "./host-root.ts";
import type { Identity } from "./identity.ts";
import { memoryWatch } from "./memory-watch.ts";
import { processSandbox } from "./process-sandbox.ts";
import { boundsOf } from "./resource-bounds.ts";
import type { Sandbox } from "./sandbox.ts";
import { unshareSandbox } from "./unshare-sandbox.ts";
import type { Watchdog } from "./watchdog.ts";

/** Requested sandbox; `auto`: bwrap, else unshare, else process. */
export type SandboxSelection = "auto" | "bwrap" | "unshare" | "process" | "fake";

interface SandboxChoice {
  readonly host: Host;
  readonly choice: Exclude<SandboxSelection, "fake">;
  /** Private directory for the trial. */
  readonly directory: string;
  /** The sandbox ends its processes by this watchdog. */
  readonly watchdog: Watchdog;
}

/**
 * Chooses the requested sandbox, or in `auto` mode the first that works. Verifies a sandbox by running `true` in it.
 *
 * @throws SUBMIT_ERR_SANDBOX when the requested sandbox does not work.
 */
export async function chooseSandbox({ host, choice, directory, watchdog }: SandboxChoice): Promise<Sandbox> {
  const resources = (await cgroupControl({ host, watchdog })) ?? memoryWatch(host);
  const reasons: string[] = [];
  for (const name of choice === "auto" ? ["bwrap", "unshare"] : [choice]) {
    if (name !== "bwrap" && name !== "unshare") continue;
    const program = findProgram(host, name);
    if (program === undefined) {
      reasons.push(`${name}: not installed`);
      continue;
    }
    for (const identity of identities(host)) {
      const options = { host, watchdog, resources, identity, program };
      const sandbox = name === "bwrap" ? bwrapSandbox(options) : unshareSandbox(options);
      const failure = await trialError(host, sandbox, `${directory}/trial-${name}-${identity}`);
      if (failure === undefined) return sandbox;
      reasons.push(`${name}: ${failure}`);
    }
  }
  if (choice === "process") return processSandbox({ host, watchdog, resources });
  if (choice === "auto")
    return { ...processSandbox({ host, watchdog, resources }), notice: processSandboxNotice(reasons.join("; ")) };
  throw submitError("SUBMIT_ERR_SANDBOX", { name: choice, reason: reasons.join("; ") });
}

function processSandboxNotice(reason: string): string {
  const [{ message, hint }] = submitError("SUBMIT_ERR_SANDBOX", { name: "bwrap or unshare", reason }).issues;
  return `${message}. Pods run as plain processes instead, which isolates nothing: they see the files of this machine, and images with a root of their own do not run. ${hint}`;
}

/**
 * Lists the identities to try. Root in an unprivileged container cannot mount, but may be able to create a user
 * namespace.
 */
function identities({ user, files }: Host): readonly Identity[] {
  return user.uid === 0 && files.info("/usr/bin/setpriv") !== undefined ? ["switched", "mapped"] : ["mapped"];
}

/** Runs a trial; returns its error, or `undefined` on success. */
async function trialError(host: Host, sandbox: Sandbox, directory: string): Promise<string | undefined> {
  const output: Uint8Array[] = [];
  try {
    const start = await sandbox.start({
      id: "trial",
      directory,
      command: ["true"],
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      workingDirectory: "/",
      hostname: "trial",
      uid: 185,
      gid: 0,
      groups: [],
      capabilities: [],
      bounds: boundsOf({}),
      oomScoreAdjustment: 0,
      isRootReadOnly: false,
      mounts: hostRoot(host.files),
      annotations: {},
      onOutput: (_, chunk) => output.push(chunk),
    });
    if (!start.started) return firstLine(start.startError);
    const { code, startError } = await start.container.exited;
    if (code === 0) return undefined;
    return firstLine(startError ?? (Buffer.concat(output).toString("utf8") || `it ended with ${code}`));
  } catch (error) {
    return firstLine(error instanceof Error ? error.message : String(error));
  } finally {
    removeTree(host.files, directory);
  }
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}
