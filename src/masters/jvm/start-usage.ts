import { newestLine } from "../../conf/spark-version.ts";
import { orThrow } from "../../errors/submit-error.ts";
import { become } from "../../host/become.ts";
import type { Host } from "../../host/host.ts";
import { findJavaCommand, launchOf } from "./find-launch.ts";
import { submitCommand } from "./java-command.ts";
import { nothingSaid } from "./launch.ts";
import { findDriverSpark } from "./local-spark.ts";

/** Which usage text is wanted. */
export interface WantedUsage {
  readonly mainClass: string;
  readonly word: "--help" | "--usage-error";
}

/** Lets the Spark of this machine tell how a class of its own is used: gives the exit code, `undefined` where there is no Spark. */
export async function startUsage(host: Host, { mainClass, word }: WantedUsage): Promise<number | undefined> {
  const spark = findDriverSpark(host, undefined);
  if (spark === undefined) return undefined;
  const launch = launchOf(host, { spark, spoken: newestLine, ...nothingSaid });
  const { command } = findJavaCommand(host);
  const { args, env } = orThrow(submitCommand(launch, ["--class", mainClass, word, "spark-internal"]));
  const variables = { ...launch.host.env, PYTHONHASHSEED: "0", ...env };
  const { code } = await become(host, { command, args, env: variables });
  return code;
}
