import { newestLine } from "../../conf/spark-version.ts";
import { submitError } from "../../errors/submit-error.ts";
import { absolutePath } from "../../host/absolute-path.ts";
import type { Host } from "../../host/host.ts";
import { showProgress } from "../../host/progress.ts";
import { visibleLine } from "../../host/visible-text.ts";
import { findJava } from "../../spark/find-java.ts";
import { findSpark } from "../../spark/find-spark.ts";
import { startHistoryServer } from "../../spark/history-server.ts";
import { clusterPaths, readClusterRecord } from "../cluster-record.ts";
import { releaseOf } from "../embedded.ts";
import { openEventLogs } from "../event-logs.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { parseOptions } from "../parse-options.ts";
import { parsePort } from "../parse-port.ts";
import { untilInterrupt } from "../until-interrupt.ts";
import { clusterName } from "./cluster/options.ts";
import { historySettings, locateEventLogs, provideHistoryJars } from "./history-files.ts";

const usage = `Usage: firesteel history [options]

Serve Spark's own history server over event logs, until an interrupt. Print its URL. Needs Spark and Java, which are downloaded if this
machine has none.

Options:
  --dir DIR               directory or URI of event logs, e.g. s3a://BUCKET/DIR (default: those of the embedded cluster)
  --name NAME             embedded cluster whose event logs to serve (default: default)
  --port N                port on 127.0.0.1 (default: 18080, or the next free one)
  --spark-version V       release or line of Spark (default: that of SPARK_HOME, else the newest installed one)
  --properties-file FILE  settings for the server, e.g. spark.hadoop.fs.s3a.endpoint

Pass the credentials of a bucket as for the AWS tools, e.g. in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
`;

/** Runs `firesteel history`. @returns the exit code */
export async function runHistoryCommand(host: Host, args: readonly string[]): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(usage);
    return exitCodes.ok;
  }
  const values = ["--dir", "--name", "--port", "--spark-version", "--properties-file"] as const;
  const flags = parseOptions(args, { flags: [], values, maxPositionals: 0 });
  const port = parsePort(flags.value("--port"));
  const directory = directoryOf(host, { specified: flags.value("--dir"), name: clusterName(flags) });
  const version = flags.value("--spark-version");
  const progress = showProgress(host);
  const spark = await findSpark(host, { version, install: releaseOf(version ?? newestLine), progress });
  const { home: javaHome } = await findJava(host, progress);
  const properties = readProperties(host, flags.value("--properties-file"), directory);
  const settings = historySettings({ directory, port });
  const jars = await provideHistoryJars(host, spark, directory);
  const server = startHistoryServer(host, { spark, javaHome, jars, properties, settings }, (url) => {
    host.stdout.write(`${visibleLine(url)}\n`);
    host.stderr.write(`Serving the event logs in ${visibleLine(directory)}; to stop, press Ctrl+C\n`);
  });
  return untilInterrupt(host, async (signal) => {
    signal.addEventListener("abort", server.stop, { once: true });
    const reason = await server.ended;
    if (signal.aborted) return exitCodes.ok;
    throw submitError("SUBMIT_ERR_HISTORY_SERVER", { directory, reason });
  });
}

interface Location {
  /** Value of `--dir`. */
  readonly specified: string | undefined;
  /** Name of the embedded cluster. */
  readonly name: string;
}

/** Returns the URI of a directory. @throws SUBMIT_ERR_HISTORY_SERVER if a local one does not exist */
function directoryOf(host: Host, { specified, name }: Location): string {
  if (specified !== undefined) return locateEventLogs(host, specified);
  const directory = readClusterRecord(host, name)?.eventLogs ?? clusterPaths(host, name).eventLogs;
  return `file://${openEventLogs(host, { directory, drivers: "running" })}`;
}

function readProperties(host: Host, path: string | undefined, directory: string): string {
  const text = path === undefined ? "" : host.files.readText(absolutePath(host, path));
  if (text === undefined)
    throw submitError("SUBMIT_ERR_HISTORY_SERVER", { directory, reason: `the properties file ${path} does not exist` });
  return text;
}
