import { named } from "../../../conf/entries/named.ts";
import { submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { localJava } from "../../../spark/find-java.ts";
import { listDistributions, sparkHomeProblem } from "../../../spark/find-spark.ts";
import type { HistoryServer } from "../../../spark/history-server.ts";
import { historySettings, locateEventLogs, provideHistoryJars } from "../history-files.ts";

interface HistoryCall {
  /** Settings of applications that do not set them. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Directory for event logs of the embedded cluster, if applications run there. */
  readonly eventLogs: string | undefined;
}

/** Settings of the gateway that its history server gets: its own, and those of file systems. */
const serverKey = /^spark\.(history|hadoop)\./;

/**
 * Returns the history server over the event logs of a gateway's applications.
 *
 * @throws SubmitError `SUBMIT_ERR_GATEWAY_HISTORY_SERVER`, `SUBMIT_ERR_HISTORY_SERVER`, with what is missing
 */
export async function gatewayHistory(host: Host, { defaults, eventLogs }: HistoryCall): Promise<HistoryServer> {
  const specified = defaults[named.eventLogDir] ?? eventLogs;
  if (specified === undefined) throw startError(`the gateway's settings have no ${named.eventLogDir}`);
  const directory = locateEventLogs(host, specified);
  const [spark] = listDistributions(host);
  const java = localJava(host);
  if (spark === undefined) {
    const problem = sparkHomeProblem(host) ?? "set SPARK_HOME";
    throw startError(`this machine has no Spark: ${problem.replace(/\.$/, "")}`);
  }
  if (java === undefined) throw startError("this machine has no Java 17 or later: set JAVA_HOME");
  const settings = new Map(Object.entries(defaults).filter(([key]) => serverKey.test(key)));
  return {
    ...{ spark, javaHome: java.home, properties: "" },
    jars: await provideHistoryJars(host, spark, directory),
    settings: new Map([...settings, ...historySettings({ directory, port: 0 })]),
  };
}

function startError(reason: string) {
  return submitError("SUBMIT_ERR_GATEWAY_HISTORY_SERVER", { reason });
}
