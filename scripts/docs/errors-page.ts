import { errorCodes } from "../../src/errors/codes.ts";
import type { ErrorCodeEntry, ErrorKind } from "../../src/errors/error-code-entry.ts";
import { generatedNote, table } from "./table.ts";

const kinds: Readonly<Record<ErrorKind, string>> = {
  usage: "The command line is wrong. Correct it.",
  setting: "A setting has a value that is not allowed. Correct the value.",
  dependency: "A file or an address that the submission needs does not exist or cannot be read.",
  template: "A pod template is invalid.",
  cluster: "The cluster rejected a call. Its administrator, or other permissions, can help.",
  unreachable: "A server was not reached.",
  timeout: "A server did not respond in time.",
  environment: "This machine lacks something.",
  internal: "A bug of Firesteel. Report it.",
};

/** Builds `docs/errors.md`. */
export function errorsPage(): string {
  const entries: [string, ErrorCodeEntry<never>][] = Object.entries(errorCodes);
  const sections = Object.entries(kinds).flatMap(([kind, meaning]) => {
    const rows = entries.filter(([, entry]) => entry.kind === kind).sort(([a], [b]) => (a < b ? -1 : 1));
    return rows.length === 0
      ? []
      : [
          `## ${kind}`,
          meaning,
          table(
            ["code", "message", "hint"],
            rows.map(([name, entry]) => row(name, entry)),
          ),
        ];
  });
  return `${[
    generatedNote("src/errors/codes"),
    "# Errors",
    [
      "Every failure has a code, which never changes its meaning, and a kind, which shows who can act on it. `<name>` is a",
      "placeholder for a value. All problems of a command line are reported together, each as a line `Error: MESSAGE` and a line",
      "`Hint: WHAT TO DO`. With `FIRESTEEL_STRICT=1`, messages have Spark's form instead, without hints. Messages marked * are",
      "those of Apache Spark, word for word.",
    ].join("\n"),
    ...sections,
  ].join("\n\n")}\n`;
}

function row(name: string, entry: ErrorCodeEntry<never>): string[] {
  const mark = entry.wording === "spark" ? " *" : "";
  return [`\`${name}\``, shown(entry.text) + mark, entry.hint === undefined ? "" : shown(entry.hint)];
}

/** Prints a message or hint with the names of its fields as values. */
function shown(print: (fields: never) => string): string {
  const text = String(Reflect.apply(print, undefined, [fieldNames]));
  return text.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const fieldNames = new Proxy({}, { get: (_, field) => (typeof field === "symbol" ? undefined : placeholder(field)) });

/** Builds a value that prints as `<name>` where a message expects a text, a number or a list. */
function placeholder(name: string): unknown {
  const text = `<${name}>`;
  return Object.assign([text], {
    toString: () => text,
    toJSON: () => text,
    join: () => text,
    map: (change: (item: string) => unknown) => placeholder(String(change(name))),
    toFixed: () => text,
    startsWith: () => false,
    endsWith: () => false,
  });
}
