import { dependsOnLine } from "../command-line/options.ts";
import { parseCommandLine } from "../command-line/parse.ts";
import { behaviorsOf } from "../conf/behaviors.ts";
import { newestLine } from "../conf/spark-version.ts";
import type { Result } from "../errors/issue.ts";
import type { Host } from "../host/host.ts";
import type { Invocation } from "../plan/invocation.ts";
import { targetSparkVersion, type VersionSettings } from "./environment.ts";

/**
 * Parses the command line. The grammar depends on the Spark line, which the command line can specify: then it is parsed twice.
 */
export async function readCommandLine(host: Host): Promise<Result<Invocation>> {
  const { exampleOptions } = behaviorsOf(host.env);
  const newest = parseCommandLine(host.argv, newestLine, { exampleOptions });
  if (!dependsOnLine(host.argv)) return newest;
  const { line } = await targetSparkVersion(host, versionSettings(newest));
  return line === newestLine ? newest : parseCommandLine(host.argv, line, { exampleOptions });
}

export function versionSettings(parsed: Result<Invocation>): VersionSettings {
  return parsed.ok ? parsed.value : { settings: [] };
}
