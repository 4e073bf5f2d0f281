import type { ChildProcess, Host } from "./host.ts";

/** A program that replaces this one. */
interface ExecCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Complete environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Signals to forward. */
const forwardedSignals = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"] as const;
/** Signals that a terminal sends to its whole foreground process group, and so to the child itself. */
const terminalSignals: readonly string[] = ["SIGINT", "SIGQUIT"];

/**
 * Runs a program as `exec` would: it inherits the streams and the terminal, receives this process's signals, and dies with
 * this process. If a signal kills the program, sends the same signal to this process.
 *
 * @returns the program's exit code; 127 if it is missing, 126 if it cannot be started
 */
export async function execInPlace(
  host: Host,
  { command, args, env }: ExecCommand,
): Promise<{ readonly code: number; readonly error: string | undefined }> {
  const streams = { stdin: "inherit", stdout: "inherit", stderr: "inherit" } as const;
  const started: ChildProcess[] = [];
  // Register before the start: a signal in between would end this process alone.
  const stops = forwardedSignals.map((signal) =>
    host.onSignal(signal, () => {
      if (!(terminalSignals.includes(signal) && isInForeground(host))) started[0]?.kill(signal);
    }),
  );
  const child = host.spawn(command, args, { env, ...streams });
  started.push(child);
  const guard = startGuard(host, child.pid);
  const { code, signal, error } = await child.ended;
  guard?.writeInput("ended\n");
  guard?.endInput();
  for (const stop of stops) stop();
  const deadly = (["SIGHUP", "SIGINT", "SIGKILL", "SIGTERM"] as const).find((name) => name === signal);
  if (deadly !== undefined) host.kill(host.pid, deadly);
  return { code, error };
}

/**
 * Kills the child when this process's end of the pipe closes without a message: then SIGKILL ended this process.
 * Runs in its own process group to survive the signal.
 */
function startGuard(host: Host, pid: number | undefined): ChildProcess | undefined {
  if (pid === undefined) return undefined;
  const script = 'read -r word; [ "$word" = ended ] || kill -KILL "$1"';
  const options = { stdin: "pipe", stdout: "ignore", stderr: "ignore", detached: true } as const;
  const guard = host.spawn("sh", ["-c", script, "sh", String(pid)], options);
  guard.release();
  return guard;
}

/** Returns whether this process is in the terminal's foreground group, which receives the signals of typed keys. */
function isInForeground(host: Host): boolean {
  const stat = readStat(host);
  // After the name in brackets: state, parent, group, session, terminal, foreground group of the terminal.
  const [, , group, , , foreground] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  return group === undefined ? host.isInputTerminal : group === foreground;
}

function readStat({ files, pid }: Host): string | undefined {
  try {
    return files.readText(`/proc/${pid}/stat`);
  } catch {
    return undefined;
  }
}
