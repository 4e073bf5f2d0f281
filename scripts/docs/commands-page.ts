import { exitCodes } from "../../src/cli/exit-codes.ts";
import { collectHelp } from "../build/help/collect-help.ts";
import { code, generatedNote, table } from "./table.ts";

/** Builds `docs/commands.md`. */
export async function commandsPage(): Promise<string> {
  const [program, ...commands] = await collectHelp();
  const sections = commands
    .filter(({ path }) => !omitted.has(path))
    .flatMap(({ path, text }) => [`##${path.includes(" ") ? "#" : ""} firesteel ${path}`, fenced(text)]);
  return `${[
    generatedNote("the help of each command"),
    "# Commands of firesteel",
    fenced(program?.text ?? ""),
    "`firesteel submit` is `spark-submit`: see [Command line](command-line.md). Errors are `Error:` and `Hint:` lines on stderr.",
    ...sections,
    "## Exit codes",
    table(["code", "command", "meaning"], codes),
  ].join("\n\n")}\n`;
}

/** Commands without a section; `submit` has its own page. */
const omitted: ReadonlySet<string> = new Set(["submit", "version"]);

function fenced(text: string): string {
  return `\`\`\`\n${text.trimEnd()}\n\`\`\``;
}

const submission = "spark-submit, attach";
const any = "all";

const codes: readonly (readonly string[])[] = [
  [code(String(exitCodes.ok)), any, "success; after waiting for a driver: the driver succeeded"],
  [
    code(String(exitCodes.failed)),
    any,
    "rejected by a check or by the API; for a driver: deleted, terminated by `--fail-fast`, or with an unknown outcome; for `kill` and `status`: none was found; for `diff`: a difference",
  ],
  ["`2`", "diff", "error"],
  [
    "the driver's",
    submission,
    "the driver failed; the code is that of the driver. With `FIRESTEEL_STRICT=1` it is 0, as for Spark",
  ],
  [code(String(exitCodes.classNotFound)), "spark-submit", "the main class was not found"],
  [
    code(String(exitCodes.timedOut)),
    submission,
    "`spark.firesteel.startTimeout` or `spark.firesteel.runTimeout` expired",
  ],
  [code(`${exitCodes.SIGINT}, ${exitCodes.SIGTERM}`), submission, "interrupted by SIGINT, SIGTERM"],
  [code(String(exitCodes.noArguments)), "spark-submit", "called without arguments"],
];
