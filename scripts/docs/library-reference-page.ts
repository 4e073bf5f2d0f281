import { type DocumentedName, publicNames } from "./public-names.ts";
import { generatedNote } from "./table.ts";

/** Names that most programs need; the others are for programs that need parts of Firesteel. */
const main = [
  ...[
    "Firesteel",
    "FiresteelOptions",
    "SubmitOptions",
    "SparkSettings",
    "ExtraSettings",
    "PythonOptions",
    "Credentials",
  ],
  ...[
    "Application",
    "ApplicationOutcome",
    "ApplicationStatus",
    "FollowedState",
    "WaitOptions",
    "LogOptions",
    "KillOptions",
  ],
  ...["CallOptions", "ListOptions", "ListedApplication", "ApplicationChange", "ApplicationSummary", "ApplicationState"],
  ...["ApplicationEvent", "Diagnosis", "Evidence", "FiresteelError", "ErrorCode", "ErrorKind", "Issue", "LogLine"],
];

/** Builds `docs/library-reference.md`. */
export function libraryReferencePage(): string {
  const names = new Map(publicNames().map((entry) => [entry.name, entry]));
  const listed = main.flatMap((name) => names.get(name) ?? []);
  const others = [...names.values()].filter(({ name }) => !main.includes(name));
  return `${[
    generatedNote("the documentation of the names that src/index.ts exports"),
    "# Library reference",
    "Every name of the package `firesteel`. [The library](sdk.md) explains how they work together.",
    "## Client",
    ...listed.map((entry) => print(entry)),
    "## Parts of Firesteel",
    "For programs that parse command lines, plan submissions or call a Kubernetes API themselves.",
    ...others.map((entry) => print(entry)),
  ].join("\n\n")}\n`;
}

function print({ name, kind, text, throws, declaration, example, members }: DocumentedName, owner?: string): string {
  const title = owner === undefined ? `### \`${name}\` (${kind})` : `#### \`${owner}.${name}\``;
  return [
    title,
    text,
    codeBlock(declaration),
    ...(throws === undefined ? [] : [`Throws ${throws.replace(/\.?$/, ".")}`]),
    ...(example === undefined ? [] : ["Example:", codeBlock(example)]),
    ...members.map((entry) => print(entry, name)),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function codeBlock(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``;
}
