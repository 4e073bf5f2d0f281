import { parseCommandLine } from "../../command-line/parse.ts";
import { SparkConf } from "../../conf/spark-conf.ts";
import { newestLine } from "../../conf/spark-version.ts";
import { orThrow, submitError, throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Administration } from "../../masters/rest/administer.ts";
import { readSettings } from "../../resolve/read-settings.ts";
import { resolveSparkVersion } from "../../resolve/resolve-spark-version.ts";
import { specifiedMaster } from "../../resolve/specified-master.ts";
import { substitutionSources } from "../../resolve/substitution-sources.ts";
import { localSpark, withLauncherEnvironment } from "../environment.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { parseInterleavedArgs } from "../parse-interleaved-args.ts";
import { unknownCommand } from "../unknown-name.ts";

const standaloneUsage = `Usage: firesteel standalone <command> --master spark://HOST:PORT[,HOST:PORT…]

Administer a standalone master through its REST gateway (Spark 4.0 and later). Exit with 1 if the master rejects the
request.

  readyz    check whether a master accepts submissions
  killall   kill all drivers
  clear     clear finished drivers and applications from the master's list

For the options of a command, run: firesteel standalone <command> --help
`;

/** Prints the usage text of a command. */
function usageOf(command: string, description: string): string {
  return `Usage: firesteel standalone ${command} --master spark://HOST:PORT[,HOST:PORT…]

${description} Exit with 1 if the master rejects the request. Spark 4.0 and later.

Options:
  --master URL            spark://HOST:PORT of the masters' REST gateways
  --conf, --properties-file and similar options are those of spark-submit
`;
}

const usages: Readonly<Record<Administration, string>> = {
  readyz: usageOf("readyz", "Check whether a standalone master accepts submissions."),
  killall: usageOf("killall", "Kill all drivers of a standalone master."),
  clear: usageOf("clear", "Clear finished drivers and applications from a standalone master's list."),
};

/** Runs `firesteel standalone`. @returns the exit code */
export async function runStandaloneCommand(host: Host, args: readonly string[]): Promise<number> {
  if (args.length === 0 || isHelpRequest(args)) {
    const usage = Object.entries(usages).find(([name]) => args.includes(name))?.[1] ?? standaloneUsage;
    (args.length === 0 ? host.stderr : host.stdout).write(usage);
    return args.length === 0 ? exitCodes.failed : exitCodes.ok;
  }
  const { administer, administrations } = await import("../../masters/rest/administer.ts");
  const { positionals, rest } = parseInterleavedArgs(args, { flags: [], values: [] });
  const [command = "", ...others] = positionals;
  const action = administrations.find((name) => name === command);
  if (action === undefined) throw unknownCommand(`standalone ${command}`.trim(), administrations);
  const [option] = others;
  if (option !== undefined) throw submitError("SUBMIT_ERR_ARG_UNKNOWN", { option });
  await administer(action, await readTarget(await withLauncherEnvironment(host), rest));
  return exitCodes.ok;
}

/** Resolves the master and its settings. @throws SubmitError */
async function readTarget(host: Host, args: readonly string[]) {
  const invocation = orThrow(parseCommandLine(["--status", "all", ...args], newestLine));
  if (invocation.action !== "status") throw submitError("SUBMIT_ERR_ARG_UNKNOWN", { option: args.join(" ") });
  const { settings, issues } = readSettings(host, invocation);
  throwIssues(issues);
  const { env } = host;
  const master = specifiedMaster({ commandLine: invocation, settings, env });
  if (master === undefined) throw submitError("SUBMIT_ERR_ARG_VALUE_MISSING", { option: "--master" });
  const version = orThrow(resolveSparkVersion({ settings, env, localSpark: await localSpark(host) }));
  return { host, master, conf: new SparkConf(settings.values(), version, substitutionSources(host)) };
}
