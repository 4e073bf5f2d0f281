import type { Host, SpawnOptions } from "./host.ts";

/** Exit code and output of a command. */
export interface CommandResult {
  /** 127 if the command does not exist. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end and returns its output as text. */
export async function runCommand(
  host: Host,
  [command, ...args]: readonly [string, ...string[]],
  options: Pick<SpawnOptions, "cwd" | "env"> & { readonly onText?: (text: string) => void } = {},
): Promise<CommandResult> {
  const { onText, ...spawnOptions } = options;
  const child = host.spawn(command, args, spawnOptions);
  const chunks: Record<1 | 2, Uint8Array[]> = { 1: [], 2: [] };
  for (const descriptor of [1, 2] as const) {
    child.onOutput(descriptor, (chunk) => {
      chunks[descriptor].push(chunk);
      onText?.(Buffer.from(chunk).toString("utf8"));
    });
  }
  const { code, error } = await child.exited;
  const text = (descriptor: 1 | 2) => Buffer.concat(chunks[descriptor]).toString("utf8");
  return { code, stdout: text(1), stderr: error === undefined ? text(2) : error };
}

/** Returns the last non-empty line, where most tools print their error. */
export function lastLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => /\w/.test(line)).at(-1) ?? "";
}
