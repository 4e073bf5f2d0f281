import type { CheckResult, CheckTarget } from "./check.ts";

/** Limit on the command output that is kept. */
const maxOutputBytes = 10 * 1024;

/**
 * Runs a command in a container; ok when it exits with 0. A command that exceeds the timeout is killed.
 *
 * @param timeoutMs `undefined` for no timeout.
 */
export async function commandCheck(
  { container, clock }: CheckTarget,
  command: readonly string[],
  timeoutMs: number | undefined,
): Promise<CheckResult> {
  const [first, ...rest] = command;
  if (first === undefined) return { isOk: false, output: "no command given" };
  let output = Buffer.alloc(0);
  const start = await container.exec({
    ...{ command: [first, ...rest], hasInput: false, hasTerminal: false },
    onOutput: (_, chunk) => {
      if (output.length < maxOutputBytes) output = Buffer.concat([output, chunk]);
    },
  });
  if (!start.started) return { isOk: undefined, output: execError(start.startError) };
  const code = await Promise.race([start.command.exited, timeout(clock, timeoutMs)]);
  if (code === undefined) {
    start.command.kill();
    const printed = JSON.stringify(command.join(" "));
    return { isOk: false, output: `command timed out: ${printed} timed out after ${(timeoutMs ?? 0) / 1000}s` };
  }
  return { isOk: code === 0, exitCode: code, output: output.subarray(0, maxOutputBytes).toString("utf8") };
}

/** Wraps an error as container runtimes do. */
function execError(startError: string): string {
  return `rpc error: code = Unknown desc = failed to exec in container: failed to start exec: OCI runtime exec failed: exec failed: unable to start container process: ${startError}: unknown`;
}

function timeout(clock: CheckTarget["clock"], ms: number | undefined): Promise<undefined> {
  return new Promise((resolve) => {
    if (ms !== undefined) clock.after(ms, () => resolve(undefined));
  });
}
