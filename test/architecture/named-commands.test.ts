import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { collectHelp } from "../../scripts/build/help/collect-help.ts";
import { sources } from "./sources.ts";

/** A command with its first options, as hints and pages name it. */
const named =
  /(?<![\w./@:-])(?:firesteel ([a-z-]+(?: [a-z]+)?)|spark-submit)((?: --[a-zA-Z][a-zA-Z-]*(?:[ =][^\s`'"<]+)?)*)/g;

/** Words that follow the name of the program in sentences. */
const prose = new Set(["from", "and", "as", "is", "or", "in", "to", "of", "on"]);

const pages = ["README.md", "CONTRIBUTING.md", ...readdirSync("docs").map((name) => `docs/${name}`)].filter((path) =>
  path.endsWith(".md"),
);

const texts = new Map((await collectHelp()).map(({ path, text }) => [path, text]));

/** Returns why a command that a text names does not exist. */
function problemOf(command: string, options: string): string | undefined {
  const [first = "", second = ""] = command.split(" ");
  if (prose.has(first)) return undefined;
  const help = texts.get(`${first} ${second}`) ?? texts.get(first);
  if (help === undefined) return "unknown command";
  const isGroup = help.includes(`firesteel ${first} <command>`);
  if (isGroup && second !== "" && !new RegExp(`^ +(?:[a-z]+ )*${second}\\b`, "m").test(help))
    return "unknown subcommand";
  const takesSubmission = ["<spark-submit arguments>", "options are those of spark-submit"].some((text) =>
    help.includes(text),
  );
  const known = takesSubmission ? `${help}${texts.get("submit")}` : help;
  const unknown = [...options.matchAll(/ (--[a-zA-Z][a-zA-Z-]*)/g)].flatMap(([, option = ""]) =>
    option === "--help" || known.includes(option) ? [] : option,
  );
  return unknown.length === 0 ? undefined : `unknown ${unknown.join(", ")}`;
}

function problemsIn(path: string, text: string): readonly string[] {
  return [...text.matchAll(named)].flatMap(([all, command = "submit", options = ""]) => {
    const problem = problemOf(command, options);
    return problem === undefined ? [] : [`${path}: ${all}: ${problem}`];
  });
}

test("every command of firesteel that messages, hints and pages name exists with its options", () => {
  const code = sources().filter(({ isTest }) => !isTest);
  expect([
    ...code.flatMap(({ path, strings }) => problemsIn(path, strings.join("\n"))),
    ...pages.flatMap((path) => problemsIn(path, readFileSync(path, "utf8"))),
  ]).toEqual([]);
});

test.each([
  ["firesteel clster start", "unknown command"],
  ["firesteel cluster strat", "unknown subcommand"],
  ["firesteel cluster start --repairs", "unknown --repairs"],
  ["spark-submit --master k8s://embedded --claster", "unknown --claster"],
])("recognizes %s: %s", (text, problem) => {
  expect(problemsIn("x", text)).toEqual([`x: ${text}: ${problem}`]);
});
