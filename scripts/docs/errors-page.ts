import { errorCodes } from "../../src/errors/codes.ts";
import type { ErrorCodeEntry, ErrorKind } from "../../src/errors/error-code-entry.ts";
import { generatedNote, table } from "./table.ts";

const kinds: Readonly<Record<ErrorKind, string>> = {
  usage: "The command line is wrong. Correct it.",
  setting: "A setting has a value that is not allowed. Correct the value.",
  dependency: "A file or an address that the submission needs is not there, or cannot be read.",
  template: "A pod template is not what it should be.",
  cluster: "The Kubernetes API refused. Its administrator, or other rights, can help.",
  unreachable: "The Kubernetes API was not reached at all.",
  timeout: "The Kubernetes API did not answer in time.",
  environment: "This machine lacks something.",
  internal: "A fault of Firesteel itself. Please report it.",
};

/** `docs/errors.md`. */
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
            ["code", "message", "what to do"],
            rows.map(([name, entry]) => row(name, entry)),
          ),
        ];
  });
  return `${[
    generatedNote("src/errors/codes.ts"),
    "# Errors",
    [
      "Every failure has a code, which never changes its meaning, and a kind, which says who can act on it. `<word>` stands",
      "for what the message is about. All problems of one command line are told together. Messages marked * are those of",
      "Apache Spark, word for word.",
    ].join("\n"),
    ...sections,
  ].join("\n\n")}\n`;
}

function row(name: string, entry: ErrorCodeEntry<never>): string[] {
  const mark = entry.wording === "spark" ? " *" : "";
  return [`\`${name}\``, shown(entry.text) + mark, entry.hint === undefined ? "" : shown(entry.hint)];
}

/** The words of a message with the names of its fields in their places. */
function shown(words: (fields: never) => string): string {
  const text = String(Reflect.apply(words, undefined, [fieldNames]));
  return text.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const fieldNames = new Proxy(
  {},
  { get: (_, field) => (typeof field === "symbol" ? undefined : placeholder(field)) },
);

/** Stands for a text, a number or a list in a message. */
function placeholder(name: string): unknown {
  const text = `<${name}>`;
  return Object.assign([text], {
    toString: () => text,
    join: () => text,
    map: (change: (item: string) => unknown) => placeholder(String(change(name))),
    toFixed: () => text,
    startsWith: () => false,
    endsWith: () => false,
  });
}
