import type { ChildProcess, Host } from "../../host/host.ts";
import type { ContainerProcess } from "./sandbox.ts";
import type { Watchdog } from "./watchdog.ts";

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

/**
 * Runs a sandbox's command in a process group of its own, watched, its output through named pipes: a script in the
 * container may open `/dev/stderr`.
 */
export async function launch(
  { host, watchdog }: { readonly host: Host; readonly watchdog: Watchdog },
  container: ContainerProcess,
  { command, args, env, cwd, onStatusLine }: Launch,
): Promise<ChildProcess> {
  const pipes = { stdout: `${container.directory}/stdout`, stderr: `${container.directory}/stderr` };
  host.files.makeDirectory(container.directory, { mode: 0o700 });
  // For whoever the container runs as; nobody else reaches this folder.
  await host.spawn("mkfifo", ["-m", "666", pipes.stdout, pipes.stderr], { stdout: "ignore" }).ended;
  const child = host.spawn(command, args, {
    env,
    detached: true,
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
    void child.exited.then(() => watchdog.forget(pid));
  }
  child.onOutput(1, (chunk) => container.onOutput("stdout", chunk));
  child.onOutput(2, (chunk) => container.onOutput("stderr", chunk));
  if (onStatusLine !== undefined) child.onOutput(3, eachLine(onStatusLine));
  return child;
}

function eachLine(onLine: (line: string) => void): (chunk: Uint8Array) => void {
  let rest = "";
  return (chunk) => {
    const lines = (rest + Buffer.from(chunk).toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  };
}
