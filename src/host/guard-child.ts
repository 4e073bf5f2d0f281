import type { ChildProcess, Host } from "./host.ts";

/**
 * Kills a child when this process ends without calling the returned function: then SIGKILL ended this process. A small process waits
 * for this process's end of a pipe to close. It runs in its own process group to survive the signal.
 *
 * @returns a function that ends the guard. Call it after the child's end
 */
export function guardChild(host: Pick<Host, "spawn">, { pid }: Pick<ChildProcess, "pid">): () => void {
  if (pid === undefined) return () => {};
  const script = 'read -r word; [ "$word" = ended ] || kill -KILL "$1"';
  const options = { stdin: "pipe", stdout: "ignore", stderr: "ignore", detached: true } as const;
  const guard = host.spawn("sh", ["-c", script, "sh", String(pid)], options);
  guard.release();
  return () => {
    guard.writeInput("ended\n");
    guard.endInput();
  };
}
