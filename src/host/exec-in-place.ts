import { guardChild } from "./guard-child.ts";
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
  const endGuard = guardChild(host, child);
  const { code, signal, error } = await child.ended;
  endGuard();
  for (const stop of stops) stop();
  const deadly = (["SIGHUP", "SIGINT", "SIGKILL", "SIGTERM"] as const).find((name) => name === signal);
  if (deadly !== undefined) host.kill(host.pid, deadly);
  return { code, error };
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
