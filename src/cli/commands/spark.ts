import { newestLine, sparkLines } from "../../conf/spark-version.ts";
import { type SubmitError, submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { showProgress } from "../../host/progress.ts";
import { findSpark, listDistributions, sparkHomeProblem } from "../../spark/find-spark.ts";
import { matchesVersion } from "../../spark/spark-home.ts";
import { releaseOf } from "../embedded.ts";
import { parseOptions } from "../parse-options.ts";
import { selectCommand } from "../select-command.ts";

const sparkUsage = `Usage: firesteel spark <command>

Manage Spark distributions on this machine.

  list      list the distributions with version, source and directory
  home      print the directory of the default distribution, or of a version
  install   install a release
  prepare   make the class data archive, with which Spark starts in about half the time on the embedded cluster

For the arguments of a command, run: firesteel spark <command> --help
`;

const usages = {
  list: `Usage: firesteel spark list

List the distributions of this machine with version, source and directory.
`,
  home: `Usage: firesteel spark home [VERSION]

Print the directory of the default distribution, or of a version. Exit with 1 if it is not installed.
`,
  install: `Usage: firesteel spark install VERSION

Install a release (4.3.0), or the newest release of a line (${sparkLines.join(", ")}).
`,
  prepare: `Usage: firesteel spark prepare [VERSION]

Make the class data archive of the default distribution, or of a version. With it, Spark starts in about half the time
on the embedded cluster.
`,
};

/** Runs `firesteel spark`. @returns the exit code */
export async function runSparkCommand(host: Host, args: readonly string[]): Promise<number> {
  const selected = selectCommand(host, args, { group: "spark", usage: sparkUsage, usages });
  if (selected.command === undefined) return selected.exitCode;
  const { command, rest } = selected;
  switch (command) {
    case "list":
      parseOptions(rest, { flags: [], values: [], maxPositionals: 0 });
      return list(host);
    case "home":
      return showHome(host, parseOptions(rest, { flags: [], values: [], maxPositionals: 1 }).positionals[0]);
    case "install":
      return await install(host, parseOptions(rest, { flags: [], values: [], maxPositionals: 1 }).positionals[0]);
    case "prepare":
      return await prepare(host, parseOptions(rest, { flags: [], values: [], maxPositionals: 1 }).positionals[0]);
  }
}

function list(host: Host): number {
  const problem = sparkHomeProblem(host);
  if (problem !== undefined) host.stderr.write(`${problem}\n`);
  const distributions = listDistributions(host);
  for (const { version, origin, home } of distributions) {
    host.stdout.write(`${version.padEnd(10)} ${origin.padEnd(10)} ${home}\n`);
  }
  if (distributions.length === 0) host.stderr.write(`No Spark distribution was found.\n${printInstallHint(undefined)}`);
  return 0;
}

function showHome(host: Host, requested: string | undefined): number {
  const found = listDistributions(host).find(({ version }) => matchesVersion(version, requested));
  if (found === undefined) {
    const name = requested === undefined ? "Spark" : `Spark ${requested}`;
    host.stderr.write(`Error: ${name} is not installed on this machine.\n${printInstallHint(requested)}`);
    return 1;
  }
  host.stdout.write(`${found.home}\n`);
  return 0;
}

function printInstallHint(requested: string | undefined): string {
  return `Hint: Install it: firesteel spark install ${releaseOf(requested)}\n`;
}

async function prepare(host: Host, text: string | undefined): Promise<number> {
  const version = text === undefined ? undefined : releaseOf(text);
  const { prepareClassArchive } = await import("./spark/prepare.ts");
  host.stdout.write(`${await prepareClassArchive(host, version)}\n`);
  return 0;
}

function versionMissing(): SubmitError {
  return submitError("SUBMIT_ERR_ARGUMENT_MISSING", {
    ...{ command: "spark install", what: "a version", example: newestLine },
    allowed: `a release, or one of the lines ${sparkLines.join(", ")}`,
  });
}

async function install(host: Host, text: string | undefined): Promise<number> {
  if (text === undefined) throw versionMissing();
  const version = releaseOf(text);
  const { home } = await findSpark(host, { version, install: version, progress: showProgress(host) });
  host.stdout.write(`${home}\n`);
  return 0;
}
