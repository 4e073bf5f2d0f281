import type { ChildProcess, Host } from "../../host/host.ts";
import type { Confinement, ResourceControl } from "./resource-control.ts";
import type { ContainerProcess, RunningContainer } from "./sandbox.ts";
import { sandboxMark, type Watchdog } from "./watchdog.ts";

/** What a sandbox runs on this machine to get a container. */
export interface Launch {
  /** Absolute: the search path given is the container's. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Called with each line that the command writes to descriptor 3. */
  readonly onStatusLine?: (line: string) => void;
}

/** What every launch needs of the machine. */
export interface LaunchOptions {
  readonly host: Host;
  readonly watchdog: Watchdog;
  readonly resources: ResourceControl;
}

/** A sandbox's command that runs. */
export interface LaunchedProcess extends ChildProcess, Pick<RunningContainer, "input"> {
  /** The words that start a further command within the same bounds. */
  readonly enter: Confinement["enter"];
  /** Once it exited: whether memory was wanting. */
  readonly isOutOfMemory: () => boolean;
}

/**
 * Runs a sandbox's command in a process group of its own, watched, its output through named pipes: a script in the
 * container may open `/dev/stderr`.
 */
export async function launch(
  { host, watchdog, resources }: LaunchOptions,
  container: ContainerProcess,
  { command, args, env, cwd, onStatusLine }: Launch,
): Promise<LaunchedProcess> {
  const pipes = { stdout: `${container.directory}/stdout`, stderr: `${container.directory}/stderr` };
  host.files.makeDirectory(container.directory, { mode: 0o700 });
  // For whoever the container runs as; nobody else reaches this folder.
  await host.spawn("mkfifo", ["-m", "666", pipes.stdout, pipes.stderr], { stdout: "ignore" }).ended;
  const confinement = resources.confine(container.bounds);
  const [first, ...rest] = confinement.enter(command, args);
  const child = host.spawn(first, rest, {
    // One that starts just as we die is found by it, though nobody heard of its group.
    env: { ...env, [sandboxMark]: watchdog.mark },
    detached: true,
    stdin: container.hasInput === true ? "pipe" : "ignore",
    stdout: { namedPipe: pipes.stdout },
    stderr: { namedPipe: pipes.stderr },
    ...(cwd === undefined ? {} : { cwd }),
    ...(onStatusLine === undefined ? {} : { extraOutputs: 1 }),
  });
  // Both ends are open: the names are needed no more, and the next start makes them anew.
  host.files.remove(pipes.stdout);
  host.files.remove(pipes.stderr);
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
  const input =
    container.hasInput === true ? { input: { write: child.writeInput, end: child.endInput } } : {};
  return { ...child, ...input, exited, enter: confinement.enter, isOutOfMemory: () => isOutOfMemory };
}

function eachLine(onLine: (line: string) => void): (chunk: Uint8Array) => void {
  let rest = "";
  return (chunk) => {
    const lines = (rest + Buffer.from(chunk).toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  };
}
