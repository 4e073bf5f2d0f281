import type { ChildProcess, Host } from "./host.ts";

/** A program that takes our place. */
export interface ExecCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The signals that a program in our place would get. */
const passedOn = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"] as const;
/** Those that a terminal sends to all programs of its foreground, and so to the successor as well. */
const ofTerminal: readonly string[] = ["SIGINT", "SIGQUIT"];

/**
 * Lets a program take our place, as `exec` does: it has our streams and our terminal, gets our signals, and dies with us whatever kills
 * us. Gives its exit code; when a signal killed it, the same signal ends us.
 *
 * 127 when there is no such program, 126 when it cannot be started.
 */
export async function execInPlace(
  host: Host,
  { command, args, env }: ExecCommand,
): Promise<{ readonly code: number; readonly error: string | undefined }> {
  const streams = { stdin: "inherit", stdout: "inherit", stderr: "inherit" } as const;
  const started: ChildProcess[] = [];
  // Before the program starts: a signal in between would end us alone.
  const stops = passedOn.map((signal) =>
    host.onSignal(signal, () => {
      if (!(ofTerminal.includes(signal) && isInForeground(host))) started[0]?.kill(signal);
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
 * Kills the successor when this process's end of the pipe closes without a message: then an uncatchable signal killed the process.
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

/** Whether we belong to the foreground of a terminal: what is typed there reaches all of that group. */
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
