import { exitCodes } from "../../src/cli/exit-codes.ts";
import { commandNames, main } from "../../src/cli/main.ts";
import { testHost } from "../../src/host/test-host.ts";
import { code, generatedNote, table } from "./table.ts";

/** `docs/commands.md`. */
export async function commandsPage(): Promise<string> {
  const sections: string[] = [];
  for (const name of commandNames) {
    if (!others.has(name)) sections.push(`## firesteel ${name}`, fenced(await helpOf(name)));
    if (name === "cluster") sections.push("### firesteel cluster chaos", fenced(await helpOf(name, "chaos")));
  }
  return `${[
    generatedNote("the help of each command"),
    "# Commands of firesteel",
    fenced(await helpOf()),
    "`firesteel submit` is `spark-submit`: [command line](command-line.md). Errors are told on stderr, with what to do about them.",
    ...sections,
    "## Exit codes",
    table(["code", "of", "meaning"], codes),
  ].join("\n\n")}\n`;
}

/** `submit` has a page of its own. */
const others: ReadonlySet<string> = new Set(["submit", "version"]);

async function helpOf(...words: readonly string[]): Promise<string> {
  const host = testHost({ argv: [...words, "--help"] });
  await main(host);
  return host.outText();
}

function fenced(text: string): string {
  return `\`\`\`\n${text.trimEnd()}\n\`\`\``;
}

const submission = "spark-submit, attach";
const any = "all";

const codes: readonly (readonly string[])[] = [
  [code(String(exitCodes.ok)), any, "done; for a driver that is waited for: it succeeded"],
  [
    code(String(exitCodes.failed)),
    any,
    "refused, by us or by the API; for a driver: deleted, or given up with `--fail-fast`, or its end is not known; for `kill`, `status`: none was found; for `diff`: something differs",
  ],
  ["`2`", "diff", "trouble"],
  [
    "the driver's",
    submission,
    "the driver failed, with its own exit code; `FIRESTEEL_STRICT=1`: 0, as Spark",
  ],
  [code(String(exitCodes.classNotFound)), "spark-submit", "the main class was not found"],
  [
    code(String(exitCodes.timedOut)),
    submission,
    "`spark.firesteel.startTimeout` or `spark.firesteel.runTimeout` was not kept",
  ],
  [code(`${exitCodes.SIGINT}, ${exitCodes.SIGTERM}`), submission, "interrupted by SIGINT, SIGTERM"],
  [code(String(exitCodes.noArguments)), "spark-submit", "called without any word"],
];
