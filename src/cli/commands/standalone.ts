import { parseCommandLine } from "../../command-line/parse.ts";
import { SparkConf } from "../../conf/spark-conf.ts";
import { newestLine } from "../../conf/spark-version.ts";
import { orThrow, submitError, throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { specifiedMaster } from "../../masters/kubernetes/specified-master.ts";
import { readSettings } from "../../resolve/read-settings.ts";
import { resolveSparkVersion } from "../../resolve/resolve-spark-version.ts";
import { substitutionSources } from "../../resolve/substitution-sources.ts";
import { localSpark, withLauncherEnvironment } from "../environment.ts";
import { exitCodes } from "../exit-codes.ts";
import { parseInterleavedArgs } from "../parse-interleaved-args.ts";
import { isHelpRequest } from "../parse-options.ts";

const standaloneUsage = `Usage: firesteel standalone <command> --master spark://HOST:PORT[,HOST:PORT…]

What a standalone master does as a whole, over its REST gateway (Spark 4.0 and later). The exit code is 1 when it does not.

  readyz    says whether a master takes submissions
  killall   ends all drivers
  clear     lets the master forget drivers and applications that have ended

--conf, --properties-file and the like mean what they mean to spark-submit
`;

/** `firesteel standalone …`: gives the exit code. */
export async function runStandaloneCommand(host: Host, args: readonly string[]): Promise<number> {
  if (args.length === 0 || isHelpRequest(args)) {
    (args.length === 0 ? host.stderr : host.stdout).write(standaloneUsage);
    return args.length === 0 ? exitCodes.failed : exitCodes.ok;
  }
  const { administer, administrations } = await import("../../masters/rest/administer.ts");
  const { plain, rest } = parseInterleavedArgs(args, { flags: [], values: [] });
  const [command = "", ...others] = plain;
  const what = administrations.find((one) => one === command);
  if (what === undefined)
    throw submitError("SUBMIT_ERR_COMMAND_UNKNOWN", {
      command: `standalone ${command}`.trim(),
      known: administrations,
    });
  const [option] = others;
  if (option !== undefined) throw submitError("SUBMIT_ERR_ARG_UNKNOWN", { option });
  await administer(what, await readTarget(await withLauncherEnvironment(host), rest));
  return exitCodes.ok;
}

/** The master that is meant, and its settings. @throws SubmitError */
async function readTarget(host: Host, words: readonly string[]) {
  const invocation = orThrow(parseCommandLine(["--status", "all", ...words], newestLine));
  if (invocation.action !== "status")
    throw submitError("SUBMIT_ERR_ARG_UNKNOWN", { option: words.join(" ") });
  const { settings, issues } = readSettings(host, invocation);
  throwIssues(issues);
  const { env } = host;
  const master = specifiedMaster({ given: invocation, settings, env });
  if (master === undefined) throw submitError("SUBMIT_ERR_ARG_VALUE_MISSING", { option: "--master" });
  const version = orThrow(resolveSparkVersion({ settings, env, localSpark: await localSpark(host) }));
  return { host, master, conf: new SparkConf(settings.values(), version, substitutionSources(host)) };
}
