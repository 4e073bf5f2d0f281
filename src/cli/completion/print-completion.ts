import type { Suggestion } from "./completion-data.ts";

/** Shells with completion. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** Suggestions for the script of a shell. */
export interface PrintedCompletion {
  /** Start of the argument. */
  readonly current: string;
  readonly suggestions: readonly Suggestion[];
  /** Whether a space follows a suggestion. */
  readonly isComplete: boolean;
}

/** Prints suggestions in lines: `full`, or `partial` if no space follows; then a line for each suggestion. Prints nothing without one. */
export function printCompletion(shell: Shell, { current, suggestions, isComplete }: PrintedCompletion): string {
  if (suggestions.length === 0) return "";
  const lines = suggestions.map((suggestion) => printers[shell](suggestion, current));
  return [isComplete ? "full" : "partial", ...lines].map((line) => `${line}\n`).join("");
}

const printers: Readonly<Record<Shell, (suggestion: Suggestion, current: string) => string>> = {
  // Bash replaces only what follows the last = or : of an argument.
  bash: ({ text }, current) => text.slice(current.search(/[^=:]*$/)),
  zsh: ({ text, description }) =>
    `${text.replaceAll(":", "\\:")}${description === "" ? "" : `:${oneLine(description)}`}`,
  fish: ({ text, description }) => (description === "" ? text : `${text}\t${oneLine(description)}`),
};

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
