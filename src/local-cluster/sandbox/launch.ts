import type { ChildProcess, Host } from "../../host/host.ts";
import type { Confinement, ResourceControl } from "./resource-bounds.ts";
import type { ContainerProcess, RunningContainer } from "./sandbox.ts";
import { sandboxMark, type Watchdog } from "./watchdog.ts";

/** Command that a sandbox runs on this machine to start a container. */
export interface Launch {
  /** Absolute path, because `env` has the container's search path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Called with each line that the command writes to descriptor 3. */
  readonly onStatusLine?: (line: string) => void;
}

export interface LaunchOptions {
  readonly host: Host;
  readonly watchdog: Watchdog;
  readonly resources: ResourceControl;
}

/** Running sandbox command. */
export interface LaunchedProcess extends ChildProcess, Pick<RunningContainer, "input"> {
  /** Returns the command line that runs an additional command within the same bounds. */
  readonly enter: Confinement["enter"];
  /** Whether the container was killed for memory; valid after it exited. */
  readonly isOutOfMemory: () => boolean;
}

/** Starts a program with a container runtime's usual umask, and with the container's preference for being killed, if permitted. */
const preparation = 'umask 022; { echo "$1" > /proc/self/oom_score_adj; } 2>/dev/null; shift; exec "$@"';

/**
 * Runs a sandbox's command in its own process group, registered with the watchdog. Its output goes through named
 * pipes, because a script in the container may open `/dev/stderr`.
 */
export async function launch(
  { host, watchdog, resources }: LaunchOptions,
  container: ContainerProcess,
  { command, args, env, cwd, onStatusLine }: Launch,
): Promise<LaunchedProcess> {
  host.files.makeDirectory(container.directory, { mode: 0o700 });
  const pipes = await makePipes(host, container.directory);
  const confinement = resources.confine(container.bounds);
  const score = String(container.oomScoreAdjustment);
  const { networkEntry = [] } = container;
  const enter: Confinement["enter"] = (...[program, programArgs]) =>
    confinement.enter("/bin/sh", ["-c", preparation, "sh", score, ...networkEntry, program, ...programArgs]);
  const [first, ...rest] = enter(command, args);
  const child = host.spawn(first, rest, {
    // If Firesteel dies during the start, the watchdog finds the process by this mark without knowing its group.
    env: { ...env, [sandboxMark]: watchdog.mark },
    detached: true,
    stdin: container.hasInput === true ? "pipe" : "ignore",
    ...pipes,
    ...(cwd === undefined ? {} : { cwd }),
    ...(onStatusLine === undefined ? {} : { extraOutputs: 1 }),
  });
  // Both ends are open, so the names are no longer needed; the next start creates new pipes.
  for (const { namedPipe } of Object.values(pipes)) host.files.remove(namedPipe);
  const { pid } = child;
  if (pid !== undefined) {
    watchdog.watch(pid);
    confinement.onStarted(pid);
    void child.exited.then(() => watchdog.forget(pid));
  }
  child.onOutput(1, (chunk) => container.onOutput("stdout", chunk));
  child.onOutput(2, (chunk) => container.onOutput("stderr", chunk));
  if (onStatusLine !== undefined) child.onOutput(3, eachLine(onStatusLine));
  let isOutOfMemory = false;
  const exited = child.exited.then((exit) => {
    isOutOfMemory = confinement.end();
    return exit;
  });
  const input = container.hasInput === true ? { input: { write: child.writeInput, end: child.endInput } } : {};
  return { ...child, ...input, exited, enter, isOutOfMemory: () => isOutOfMemory };
}

/** Creates named pipes for the outputs of a process. The container's user must be able to write to them. */
export async function makePipes(host: Host, directory: string) {
  const pipes = { stdout: { namedPipe: `${directory}/stdout` }, stderr: { namedPipe: `${directory}/stderr` } };
  const paths = Object.values(pipes).map(({ namedPipe }) => namedPipe);
  await host.spawn("mkfifo", ["-m", "666", ...paths], { stdout: "ignore" }).ended;
  return pipes;
}

function eachLine(onLine: (line: string) => void): (chunk: Uint8Array) => void {
  let rest = "";
  return (chunk) => {
    const lines = (rest + Buffer.from(chunk).toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  };
}
