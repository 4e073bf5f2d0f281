import type { ChildExit, Host, Signal } from "../../host/host.ts";
import { executableError } from "./executable-error.ts";
import { findProgram } from "./find-program.ts";
import type { Identity } from "./identity.ts";
import { type LaunchedProcess, type LaunchOptions, launch } from "./launch.ts";
import { runCommand } from "./run-command.ts";
import type { ContainerExit, ContainerProcess, ContainerStart, RunningContainer, Sandbox } from "./sandbox.ts";

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

/** Parameters for running an additional command in the namespaces of a container. */
export interface NamespaceEntry {
  /** Whether the namespaces belong to a user namespace, which must be entered first. */
  readonly joinsUser: boolean;
  /** Additional arguments of `nsenter`, up to the command. */
  readonly inside: readonly string[];
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
    async start(container) {
      const startError = executableError(host.files, container);
      if (startError !== undefined) return { started: false, startError };
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
  const { joinsUser, inside } = namespace.entry;
  const target = await waitForInit(options.host, launched);
  if (target === undefined) return { started: false, startError: "the container is not running" };
  const nsenter = findProgram(options.host, "nsenter");
  if (nsenter === undefined) return { started: false, startError: "nsenter is not installed" };
  const namespaces = ["--target", String(target), "--mount", "--pid", "--ipc", "--uts"];
  const user = joinsUser ? ["--user", "--preserve-credentials"] : [];
  const toArgv = (command: readonly string[]) => child.enter(nsenter, [...namespaces, ...user, ...inside, ...command]);
  return runCommand(options, { container, toArgv, env: container.env }, request);
}

/**
 * Builds a prefix for a container with this machine's programs: a shell enters the working directory as the user that
 * `prefix` switches to.
 */
export function withShell({ workingDirectory }: ContainerProcess, prefix: readonly string[]): string[] {
  return ["--", ...prefix, "/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", workingDirectory];
}

const setUpIntervalMs = 10;
const maxSetUpAttempts = 500;

/** Waits until all namespaces are set up, and returns their first process; `undefined` if the container has ended. */
async function waitForInit(host: Host, { child, namespace }: LaunchedContainer): Promise<number | undefined> {
  let hasEnded = false;
  void child.ended.then(() => {
    hasEnded = true;
  });
  for (let attempts = 0; attempts < maxSetUpAttempts && !hasEnded; attempts += 1) {
    const first = namespace.init(child);
    if (first !== undefined && firstChild(host, first) !== undefined) return first;
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
