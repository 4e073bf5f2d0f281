import type { ChildProcess, Host } from "../../host/host.ts";
import { removeTree } from "../../host/remove-tree.ts";
import { executableError } from "./executable-error.ts";
import { findProgram } from "./find-program.ts";
import { makePipes } from "./launch.ts";
import type { CommandStart, ContainerProcess, ExecRequest, RunningCommand } from "./sandbox.ts";
import { shellQuote } from "./shell-quote.ts";
import type { Watchdog } from "./watchdog.ts";

/** An additional command of a container, prepared to run on this machine. */
interface Invocation {
  readonly container: ContainerProcess;
  /** Returns the full command line: the part that enters the container, then the command itself. */
  readonly toArgv: (command: readonly string[]) => readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

interface Machine {
  readonly host: Host;
  readonly watchdog: Watchdog;
}

/** Runs an additional command of a container, with a terminal if requested. */
export async function runCommand(
  machine: Machine,
  invocation: Invocation,
  request: ExecRequest,
): Promise<CommandStart> {
  const { host, watchdog } = machine;
  const startError = executableError(host.files, { ...invocation.container, command: request.command });
  if (startError !== undefined && !(await existsInContainer(machine, invocation, request.command[0])))
    return { started: false, startError };
  const script = request.hasTerminal ? findProgram(host, "script") : undefined;
  const { child, command } =
    script === undefined
      ? await runWithPipes(machine, invocation, request)
      : runOnTerminal(machine, invocation, { request, script });
  const { pid } = child;
  if (pid === undefined)
    return { started: false, startError: (await child.exited).error ?? "the command did not start" };
  watchdog.watch(pid);
  void child.exited.then(() => watchdog.forget(pid));
  return { started: true, command };
}

/**
 * Checks inside the container, because files that it created or changed since its start are not visible from outside.
 */
async function existsInContainer(machine: Machine, invocation: Invocation, name: string): Promise<boolean> {
  const command = ["/bin/sh", "-c", 'command -v -- "$1"', "sh", name] as const;
  const { child } = await runWithPipes(machine, invocation, {
    ...{ command, hasInput: false, hasTerminal: false, onOutput: () => {} },
  });
  return (await child.exited).code === 0;
}

interface Run {
  readonly child: ChildProcess;
  readonly command: RunningCommand;
}

/** Uses named pipes as outputs, so that the command can open `/dev/stderr`. */
async function runWithPipes(
  { host }: Machine,
  { container, toArgv, env, cwd }: Invocation,
  { command, hasInput, onOutput }: ExecRequest,
): Promise<Run> {
  const name = Buffer.from(host.random.bytes(6)).toString("hex");
  const directory = `${container.directory}/exec-${name}`;
  host.files.makeDirectory(directory, { mode: 0o755 });
  const pipes = await makePipes(host, directory);
  const [first, ...rest] = toArgv(command);
  const child = host.spawn(first, rest, {
    ...{ env, detached: true, stdin: hasInput ? "pipe" : "ignore", ...pipes },
    ...(cwd === undefined ? {} : { cwd }),
  });
  removeTree(host.files, directory);
  child.onOutput(1, (chunk) => onOutput("stdout", chunk));
  child.onOutput(2, (chunk) => onOutput("stderr", chunk));
  return runOf(host, child, { resize: () => {}, hangUp: child.endInput });
}

/**
 * Runs the command by util-linux's `script`, which creates the terminal. Descriptor 3 reports the terminal's name,
 * which `stty` needs to set the size.
 */
function runOnTerminal(
  { host }: Machine,
  { toArgv, env, cwd }: Invocation,
  { request, script }: { readonly request: ExecRequest; readonly script: string },
): Run {
  const { SHELL: shell } = env;
  // Variables may be secrets and must not appear in arguments.
  const own = shell === undefined ? ["-u", "SHELL"] : [`SHELL=${shell}`];
  const line = `tty >&3; exec 3>&-; exec /usr/bin/env ${[...own, ...toArgv(request.command)].map(shellQuote).join(" ")}`;
  const args = ["--quiet", "--return", "--flush", "--echo", "always", "--command", line, "/dev/null"];
  const child = host.spawn(script, args, {
    // Kubernetes' container runtimes also set TERM for terminals.
    env: { TERM: "xterm", ...env, SHELL: "/bin/sh" },
    detached: true,
    stdin: "pipe",
    extraOutputs: 1,
    ...(cwd === undefined ? {} : { cwd }),
  });
  let terminal = "";
  let size: Parameters<RunningCommand["resize"]>[0] | undefined;
  const applySize = () => {
    if (size === undefined || !terminal.endsWith("\n")) return;
    const { rows, columns } = size;
    const sttyArgs = ["-F", terminal.trim(), "rows", String(rows), "cols", String(columns)];
    host.spawn("stty", sttyArgs, { stdout: "ignore", stderr: "ignore" });
  };
  for (const descriptor of [1, 2]) child.onOutput(descriptor, (chunk) => request.onOutput("stdout", chunk));
  child.onOutput(3, (chunk) => {
    terminal += Buffer.from(chunk).toString("utf8");
    applySize();
  });
  const resize: RunningCommand["resize"] = (requested) => {
    size = requested;
    applySize();
  };
  return runOf(host, child, { resize, hangUp: () => child.kill("SIGHUP") });
}

function runOf(host: Host, child: ChildProcess, control: Pick<RunningCommand, "resize" | "hangUp">): Run {
  const { pid, writeInput, endInput } = child;
  const exited = child.exited.then(({ code }) => code);
  const kill = () => {
    if (pid !== undefined) host.kill(-pid, "SIGKILL");
  };
  return { child, command: { writeInput, endInput, ...control, kill, exited } };
}
