import type { Host } from "../../host/host.ts";
import { visibleText, withoutSecrets } from "./visible-text.ts";

/** A program that shall tell us something on its stdout. */
export interface Program {
  /** Absolute. */
  readonly path: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Words that must not be repeated. */
  readonly secrets: readonly string[];
  /** It may talk with a person, on stdin and stderr. */
  readonly isInteractive: boolean;
  readonly limitMs: number;
}

/** Output of the program, or the failure as a sentence fragment such as `ended with exit status 3: nope`. */
export type ProgramEnd =
  | { readonly kind: "output"; readonly output: string }
  | { readonly kind: "failed"; readonly problem: string };

const lastLines = 5;
const maxOutputBytes = 1024 * 1024;
const patienceMs = 2000;

/** Runs a program to its end, or until its time is over. A person at a terminal sees its stderr as it comes. */
export async function runProgram(host: Host, program: Program): Promise<ProgramEnd> {
  const { path, args, env, isInteractive, limitMs } = program;
  const child = host.spawn(path, args, {
    env,
    stdin: isInteractive ? "inherit" : "ignore",
    stderr: isInteractive ? "inherit" : "pipe",
  });
  const chunks: Record<1 | 2, Uint8Array[]> = { 1: [], 2: [] };
  const sizes = { 1: 0, 2: 0 };
  const keep = (descriptor: 1 | 2, chunk: Uint8Array) => {
    sizes[descriptor] += chunk.length;
    if (sizes[descriptor] <= maxOutputBytes) chunks[descriptor].push(chunk);
  };
  child.onOutput(1, (chunk) => keep(1, chunk));
  child.onOutput(2, (chunk) => {
    keep(2, chunk);
    // E.g. the address and the code of a login.
    if (host.stderr.isTerminal) host.stderr.write(visibleText(Buffer.from(chunk).toString()));
  });
  const textOf = (descriptor: 1 | 2) => Buffer.concat(chunks[descriptor]).toString();
  const said = () => sayLast(textOf(2), program.secrets);
  let cancel = () => {};
  const isOver = new Promise<"over">((over) => {
    cancel = host.clock.after(limitMs, () => over("over"));
  });
  const end = await Promise.race([child.exited, isOver]);
  cancel();
  if (end === "over") {
    child.kill("SIGTERM");
    host.clock.after(patienceMs, () => child.kill("SIGKILL"));
    child.release();
    return { kind: "failed", problem: `did not end within ${limitMs / 1000} s${said()}` };
  }
  if (end.error !== undefined) return { kind: "failed", problem: `could not be started (${end.error})` };
  if (end.signal !== undefined) return { kind: "failed", problem: `was ended by ${end.signal}${said()}` };
  if (end.code !== 0) return { kind: "failed", problem: `ended with exit status ${end.code}${said()}` };
  if (sizes[1] > maxOutputBytes) return { kind: "failed", problem: "gave more than 1 MiB" };
  return { kind: "output", output: textOf(1) };
}

function sayLast(text: string, secrets: readonly string[]): string {
  const lines = visibleText(withoutSecrets(text, secrets))
    .split(/\r?\n/)
    .map((line) => line.trim().slice(0, 300))
    .filter((line) => line !== "")
    .slice(-lastLines);
  return lines.length === 0 ? "" : `: ${lines.join(" / ")}`;
}
