import { submitError } from "../../errors/submit-error.ts";
import { absolutePath } from "../../host/absolute-path.ts";
import type { Host } from "../../host/host.ts";
import { quoteForShell } from "../../host/quote-for-shell.ts";
import { visibleLine } from "../../host/visible-text.ts";
import { parseOptions } from "../parse-options.ts";
import { selectCommand } from "../select-command.ts";
import { pysparkProject, runCommandLine } from "./init/pyspark-project.ts";

const initUsage = `Usage: firesteel init <command> DIR

Create a small project that runs as it is.

  pyspark  a PySpark job with its Python packages, its settings and its input

For the arguments of a command, run: firesteel init <command> --help
`;

const usages = {
  pyspark: `Usage: firesteel init pyspark DIR

Create a small PySpark project that runs as it is: a job, its Python packages, its settings and its input.

  DIR  new or empty directory
`,
};

/** Runs `firesteel init`. @returns the exit code */
export async function runInitCommand(host: Host, args: readonly string[]): Promise<number> {
  const selected = selectCommand(host, args, { group: "init", usage: initUsage, usages });
  if (selected.command === undefined) return selected.exitCode;
  const [directory] = parseOptions(selected.rest, { flags: [], values: [], maxPositionals: 1 }).positionals;
  if (directory === undefined) {
    const what = "the directory of the project";
    const allowed = "a new or empty directory";
    throw submitError("SUBMIT_ERR_ARGUMENT_MISSING", { command: "init pyspark", what, allowed, example: "my-job" });
  }
  createProject(host, directory);
  const names = Object.keys(pysparkProject).join(", ");
  host.stdout.write(
    `Created ${visibleLine(directory)} with ${names}.\nTo run the job:\n  cd ${quoteForShell(directory)}\n  ${runCommandLine}\n`,
  );
  return 0;
}

function createProject({ files, cwd }: Host, directory: string): void {
  const path = absolutePath({ cwd }, directory);
  const info = files.info(path);
  const isUsed = info !== undefined && (info.kind !== "directory" || (files.list(path) ?? []).length > 0);
  if (isUsed) {
    const reason = info.kind === "directory" ? "it is not empty" : "it is not a directory";
    throw submitError("SUBMIT_ERR_INIT_DIRECTORY", { directory, reason });
  }
  files.makeDirectory(path);
  for (const [name, text] of Object.entries(pysparkProject)) files.write(`${path}/${name}`, text);
}
