import type { ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";

/** End of a program, with its stdout and stderr in one text. */
export interface MergedOutcome {
  readonly exit: number | null;
  readonly output: string;
}

/** Collects stdout and stderr of a program in one text, and kills the program when the test ends. */
export function mergedOutput(child: ChildProcessByStdio<null, Readable, Readable>) {
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const ended = new Promise<MergedOutcome>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exit) => resolve({ exit, output }));
  });
  return { output: () => output, ended };
}
