import { sparkLines } from "../../conf/spark-version.ts";
import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { showProgress } from "../../host/progress.ts";
import { findSpark, listDistributions, sparkHomeProblem } from "../../spark/find-spark.ts";
import { isWantedVersion } from "../../spark/spark-home.ts";
import { releaseOf } from "../embedded.ts";
import { isHelpRequest, parseOptions } from "../parse-options.ts";

const sparkUsage = `Usage: firesteel spark <command>

Spark distributions on this machine.

  list               those that are here: version, where from, folder
  home [VERSION]     the folder of the one that would be used
  install VERSION    fetches a release (4.3.0) or the newest of a line (${sparkLines.join(", ")})
`;

/** `firesteel spark …`: gives the exit code. */
export async function runSparkCommand(host: Host, args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  if (command === undefined || isHelpRequest(args)) {
    (command === undefined ? host.stderr : host.stdout).write(sparkUsage);
    return command === undefined ? 1 : 0;
  }
  switch (command) {
    case "list":
      parseOptions(rest, { flags: [], values: [], maxPositionals: 0 });
      return list(host);
    case "home":
      return showHome(host, parseOptions(rest, { flags: [], values: [], maxPositionals: 1 }).words[0]);
    case "install":
      return await install(host, parseOptions(rest, { flags: [], values: [], maxPositionals: 1 }).words[0]);
    default:
      throw submitError("SUBMIT_ERR_COMMAND_UNKNOWN", {
        command: `spark ${command}`,
        known: ["list", "home", "install"],
      });
  }
}

function list(host: Host): number {
  const problem = sparkHomeProblem(host);
  if (problem !== undefined) host.stderr.write(`${problem}\n`);
  const sparks = listDistributions(host);
  for (const { version, origin, home } of sparks) {
    host.stdout.write(`${version.padEnd(10)} ${origin.padEnd(10)} ${home}\n`);
  }
  if (sparks.length === 0) host.stderr.write(printNone(undefined));
  return 0;
}

function showHome(host: Host, wanted: string | undefined): number {
  const found = listDistributions(host).find(({ version }) => isWantedVersion(version, wanted));
  if (found === undefined) {
    host.stderr.write(printNone(wanted));
    return 1;
  }
  host.stdout.write(`${found.home}\n`);
  return 0;
}

function printNone(wanted: string | undefined): string {
  const what = wanted === undefined ? "no Spark" : `no Spark ${wanted}`;
  return `There is ${what} here. Get one: firesteel spark install ${releaseOf(wanted)}\n`;
}

async function install(host: Host, text: string | undefined): Promise<number> {
  if (text === undefined) throw submitError("SUBMIT_ERR_ARG_VALUE_MISSING", { option: "install" });
  const version = releaseOf(text);
  const { home } = await findSpark(host, { wanted: version, install: version, progress: showProgress(host) });
  host.stdout.write(`${home}\n`);
  return 0;
}
