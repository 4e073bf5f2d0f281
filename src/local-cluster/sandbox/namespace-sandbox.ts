import type { ChildExit, Host, Signal } from "../../host/host.ts";
import { undefinedIfForbidden } from "../../host/undefined-if-forbidden.ts";
import { executableError } from "./executable-error.ts";
import { findProgram } from "./find-program.ts";
import { type Identity, withoutNewPrivileges } from "./identity.ts";
import { type LaunchedProcess, type LaunchOptions, launch } from "./launch.ts";
import { imageDirectory, type RootFilesystem } from "./root-filesystem.ts";
import { runCommand } from "./run-command.ts";
import type { ContainerExit, ContainerProcess, ContainerStart, RunningContainer, Sandbox } from "./sandbox.ts";
import { encodeEnvironment, restoreEnvironment } from "./shell-environment.ts";

/** Options of the sandboxes that use namespaces. */
export interface SandboxOptions extends LaunchOptions {
  readonly identity: Identity;
  /** Absolute path of the sandbox program. */
  readonly program: string;
}

/** Command that creates the namespaces of a container and runs it; the container dies with it. */
interface NamespaceCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Reads a line that the command writes to descriptor 3. @returns whether the container's first process runs */
  readonly readStatus: (line: string) => boolean;
  /** Returns the host process ID of the namespace's first process, whose first child is the workload. */
  readonly init: (child: LaunchedProcess) => number | undefined;
  /** Returns the workload's exit code if the command reports it; otherwise the command's own exit code applies. */
  readonly exitCode: () => number | undefined;
  /** Whether the workload has run, so that output and exit code are its own. */
  readonly hasRun: () => boolean;
  readonly entry: NamespaceEntry;
}

/** Steps by which an additional command enters the namespaces of a container. */
export interface NamespaceEntry {
  /** Whether the workload has entered its last namespace and root. */
  readonly isComplete: (files: Host["files"], processes: NamespaceProcesses) => boolean;
  /** Builds the command line up to the command. @param nsenter the path of util-linux's program */
  readonly prefix: (nsenter: string, processes: NamespaceProcesses) => readonly [string, ...string[]];
}

/** Host process IDs of the namespaces' first process, and of its first child, which is or becomes the workload. */
interface NamespaceProcesses {
  readonly init: number;
  readonly workload: number;
}

/** Creates a sandbox that runs each container in its own namespaces, except the network namespace. */
export function namespaceSandbox(
  name: "bwrap" | "unshare",
  options: SandboxOptions,
  commandFor: (container: ContainerProcess) => NamespaceCommand,
): Sandbox {
  const { host, watchdog } = options;
  return {
    name,
    watchDirectory: watchdog.watchDirectory,
    stop: () => watchdog.stop(),
    async start(requested) {
      const startError = executableError(host.files, requested);
      if (startError !== undefined) return { started: false, startError };
      const container = { ...requested, env: encodeEnvironment(requested.env) };
      return start(name, options, { container, namespace: commandFor(container) });
    },
  };
}

/** A container that was launched in its own namespaces. */
interface LaunchedContainer {
  readonly container: ContainerProcess;
  readonly namespace: NamespaceCommand;
  readonly child: LaunchedProcess;
}

/** Launches a container, and waits until it runs or has failed to start. */
async function start(
  name: string,
  options: SandboxOptions,
  { container, namespace }: Omit<LaunchedContainer, "child">,
): Promise<ContainerStart> {
  const { command, args, readStatus, hasRun, exitCode } = namespace;
  let errorText = "";
  let notifyStarted = () => {};
  const started = new Promise<void>((resolve) => {
    notifyStarted = resolve;
  });
  const onStatusLine = (line: string) => {
    if (readStatus(line)) notifyStarted();
  };
  const child = await launch(options, container, { command, args, env: container.env, onStatusLine });
  child.onOutput(2, (chunk) => {
    if (errorText.length < 1000) errorText += Buffer.from(chunk).toString("utf8");
  });
  const failure = ({ code, signal, error }: ChildExit) =>
    error ??
    (hasRun() || signal !== undefined || code > 128 ? undefined : errorText.trim() || `${name} ended with ${code}`);
  const early = await Promise.race([child.exited, started]);
  const earlyError = early === undefined ? undefined : failure(early);
  if (earlyError !== undefined) return { started: false, startError: earlyError };
  const launched: LaunchedContainer = { container, namespace, child };
  return {
    started: true,
    container: {
      ...(child.input === undefined ? {} : { input: child.input }),
      signal: (signal) => signalWorkload(options.host, launched, signal),
      exited: child.exited.then((exit): ContainerExit => {
        const startError = failure(exit);
        const code = startError === undefined ? (exitCode() ?? exit.code) : 128;
        return { code, startError, outOfMemory: child.isOutOfMemory() };
      }),
      exec: (request) => exec(options, launched, request),
    },
  };
}

/** Runs an additional command in the namespaces of a container by util-linux's `nsenter`. */
async function exec(
  options: SandboxOptions,
  launched: LaunchedContainer,
  request: Parameters<RunningContainer["exec"]>[0],
): ReturnType<RunningContainer["exec"]> {
  const { container, namespace, child } = launched;
  const processes = await waitForWorkload(options.host, launched);
  if (processes === undefined) return { started: false, startError: "the container is not running" };
  const nsenter = findProgram(options.host, "nsenter");
  if (nsenter === undefined) return { started: false, startError: "nsenter is not installed" };
  const [first, ...rest] = namespace.entry.prefix(nsenter, processes);
  const toArgv = (command: readonly string[]) => child.enter(first, [...rest, ...command]);
  return runCommand(options, { container, toArgv, env: container.env }, request);
}

const namespaces = ["--mount", "--pid", "--ipc", "--uts", "--cgroup"];
const userNamespace = ["--user", "--preserve-credentials"];

/** Enters a container with this machine's programs. @param inside further arguments of `nsenter`, up to the command */
export function enterNamespaces(identity: Identity, inside: readonly string[]): NamespaceEntry {
  const user = identity === "mapped" ? userNamespace : [];
  return {
    isComplete: () => true,
    prefix: (nsenter, { init }) => [nsenter, "--target", String(init), ...namespaces, ...user, ...inside],
  };
}

/**
 * Enters a container on an image's own files: all namespaces of the workload, its user namespace last, then its root. User 0
 * gets its capabilities in that user namespace, to which no mount belongs.
 */
export function enterImage(
  identity: Identity,
  { workingDirectory, limited }: RootFilesystem,
  env: ContainerProcess["env"],
): NamespaceEntry {
  return {
    // While it changes namespaces, a process may be unreadable.
    isComplete: ({ readLink }, { workload }) =>
      undefinedIfForbidden(() => readLink(`/proc/${workload}/root`)) === imageDirectory,
    prefix(nsenter, { init, workload }) {
      // The mounts of an unprivileged user belong to a user namespace of their own.
      const owner = identity === "mapped" ? [nsenter, "--target", String(init), ...userNamespace, "--"] : [];
      const target = [nsenter, "--target", String(workload), ...namespaces, ...userNamespace];
      const wd = workingDirectory.slice(imageDirectory.length);
      const root = limited === undefined ? ["--root", `--wdns=${wd}`, "--"] : ["--", ...limited];
      const [first = "", ...rest] = withoutNewPrivileges;
      const restore = restoreEnvironment(env);
      return [first, ...rest, ...restore, ...owner, ...target, ...root];
    },
  };
}

/**
 * Builds a prefix for a container with this machine's programs: a shell enters the working directory as the user that
 * `prefix` switches to.
 */
export function withShell({ workingDirectory, env }: ContainerProcess, prefix: readonly string[]): string[] {
  const shell = ["/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", workingDirectory];
  return ["--", ...prefix, ...shell, ...restoreEnvironment(env)];
}

const setUpIntervalMs = 10;
const maxSetUpAttempts = 500;

/** Waits until all namespaces are set up, and returns their processes; `undefined` if the container has ended. */
async function waitForWorkload(
  host: Host,
  { child, namespace }: LaunchedContainer,
): Promise<NamespaceProcesses | undefined> {
  let hasEnded = false;
  void child.ended.then(() => {
    hasEnded = true;
  });
  for (let attempts = 0; attempts < maxSetUpAttempts && !hasEnded; attempts += 1) {
    const init = namespace.init(child);
    const workload = init === undefined ? undefined : firstChild(host, init);
    if (init !== undefined && workload !== undefined && namespace.entry.isComplete(host.files, { init, workload }))
      return { init, workload };
    await host.clock.sleep(setUpIntervalMs);
  }
  return undefined;
}

// Signal neither the sandbox's command, which would die without forwarding the signal, nor the namespace's first
// process, which the kernel protects from signals without a handler.
function signalWorkload(host: Host, { child, namespace }: LaunchedContainer, signal: Signal): void {
  const first = namespace.init(child);
  const workload = first === undefined ? undefined : firstChild(host, first);
  if (workload !== undefined && host.kill(workload, signal)) return;
  child.kill("SIGKILL");
  // bwrap sets its parent-death signal only after its mounts.
  if (first !== undefined) host.kill(first, "SIGKILL");
}

/** Returns the host process ID of a process's first child. */
export function firstChild({ files }: Host, pid: number): number | undefined {
  const children = files.readText(`/proc/${pid}/task/${pid}/children`)?.trim().split(" ")[0];
  return children === undefined || children === "" ? undefined : Number(children);
}
