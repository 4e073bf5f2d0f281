import { Stop, type StopSignal } from "../../errors/stop-signal.ts";
import type { ChildProcess, Host } from "../../host/host.ts";
import { visibleText } from "../../host/visible-text.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** A program that prints credentials to stdout. */
export interface Program {
  /** Absolute. */
  readonly path: string;
  readonly args: readonly string[];
  /** The complete environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Texts that messages must not contain. */
  readonly secrets: readonly string[];
  /** The program may prompt on stdin and stderr. */
  readonly isInteractive: boolean;
  readonly limitMs: number;
}

/** Output of the program, or the failure as a sentence fragment such as `ended with exit status 3: nope`. */
type ProgramEnd =
  | { readonly kind: "output"; readonly output: string }
  | { readonly kind: "failed"; readonly problem: string };

const maxLines = 5;
const maxSearchedLines = 20;
const maxSearchedChars = 2000;
const maxOutputBytes = 1024 * 1024;
const killDelayMs = 2000;

/** Runs a program until it exits or exceeds its limit. A terminal shows its stderr immediately. */
export async function runProgram(host: Host, program: Program): Promise<ProgramEnd> {
  const { path, args, env, isInteractive, limitMs } = program;
  const child = host.spawn(path, args, {
    env,
    stdin: isInteractive ? "inherit" : "ignore",
    stderr: isInteractive ? "inherit" : "pipe",
  });
  const chunks: Record<1 | 2, Uint8Array[]> = { 1: [], 2: [] };
  const sizes = { 1: 0, 2: 0 };
  const exceeded = new Stop();
  const keep = (descriptor: 1 | 2, chunk: Uint8Array) => {
    sizes[descriptor] += chunk.length;
    if (sizes[descriptor] <= maxOutputBytes) chunks[descriptor].push(chunk);
    else if (descriptor === 1) exceeded.abort();
  };
  child.onOutput(1, (chunk) => keep(1, chunk));
  child.onOutput(2, (chunk) => {
    keep(2, chunk);
    // E.g. the address and the code of a login.
    if (host.stderr.isTerminal) host.stderr.write(Buffer.from(chunk).toString());
  });
  const textOf = (descriptor: 1 | 2) => Buffer.concat(chunks[descriptor]).toString();
  const stderrSuffix = () => lastLinesOf(textOf(2), [...program.secrets, ...secretsIn(textOf(1))]);
  const end = await endOf(host, child, { limitMs, exceeded });
  if (typeof end === "string") {
    child.kill("SIGTERM");
    host.clock.after(killDelayMs, () => child.kill("SIGKILL"));
    child.release();
    if (end === "output") return { kind: "failed", problem: "gave more than 1 MiB" };
    return { kind: "failed", problem: `did not end within ${limitMs / 1000} s${stderrSuffix()}` };
  }
  if (end.error !== undefined) return { kind: "failed", problem: `could not be started (${end.error})` };
  if (end.signal !== undefined) return { kind: "failed", problem: `was ended by ${end.signal}${stderrSuffix()}` };
  if (end.code !== 0) return { kind: "failed", problem: `ended with exit status ${end.code}${stderrSuffix()}` };
  return { kind: "output", output: textOf(1) };
}

interface Limits {
  readonly limitMs: number;
  readonly exceeded: StopSignal;
}

/** Time for the last output of a program that has exited. A process that it started may keep the output open. */
const drainMs = 1000;

/** Waits for the exit of a program and its output, its time limit, or too much output. */
async function endOf({ clock }: Host, child: ChildProcess, { limitMs, exceeded }: Limits) {
  const done = new Stop();
  const timer = (ms: number) => clock.sleep(ms, { signal: done });
  const end = await Promise.race([
    child.exited,
    child.ended.then((exit) => timer(drainMs).then(() => exit)),
    timer(limitMs).then(() => "timeout" as const),
    new Promise<"output">((resolve) => exceeded.addEventListener("abort", () => resolve("output"))),
  ]);
  done.abort();
  return end;
}

/** Returns the secrets in a program's output, which its error messages may repeat. */
function secretsIn(output: string): readonly string[] {
  const fields = output.matchAll(/"(?:token|clientKeyData|\w+_token)"\s*:\s*"([^"\\]+)/gi);
  const lines = output.includes("{") ? [] : output.split("\n").slice(-maxSearchedLines);
  return [...Array.from(fields, ([, value = ""]) => value), ...lines.map((line) => line.trim())];
}

function lastLinesOf(text: string, secrets: readonly string[]): string {
  // Long lines would take long to search for secrets.
  const ends = text.split("\n").slice(-maxSearchedLines);
  const lines = visibleText(withoutSecrets(ends.map((line) => line.slice(0, maxSearchedChars)).join("\n"), secrets))
    .split(/\r?\n/)
    .map((line) => line.trim().slice(0, 300))
    .filter((line) => line !== "")
    .slice(-maxLines);
  return lines.length === 0 ? "" : `: ${lines.join(" / ")}`;
}
