import type { ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";

/** Waits until a program has printed a text to its stdout. Returns `false` if the program ended before. */
export function hasPrinted(child: ChildProcessByStdio<null, Readable, Readable>, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
      if (printed.includes(text)) resolve(true);
    });
    child.once("close", () => resolve(false));
  });
}
