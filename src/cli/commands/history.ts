import { history } from "../../conf/entries/history.ts";
import { newestLine } from "../../conf/spark-version.ts";
import { submitError } from "../../errors/submit-error.ts";
import { absolutePath } from "../../host/absolute-path.ts";
import { guardChild } from "../../host/guard-child.ts";
import type { Host } from "../../host/host.ts";
import { machineName } from "../../host/machine-name.ts";
import { makeProcessDirectory } from "../../host/make-process-directory.ts";
import { showProgress } from "../../host/progress.ts";
import { visibleLine } from "../../host/visible-text.ts";
import { findJava } from "../../spark/find-java.ts";
import { findSpark } from "../../spark/find-spark.ts";
import type { SparkHome } from "../../spark/spark-home.ts";
import { clusterPaths, readClusterRecord } from "../cluster-record.ts";
import { releaseOf } from "../embedded.ts";
import { openEventLogs } from "../event-logs.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { parseOptions } from "../parse-options.ts";
import { parsePort } from "../parse-port.ts";
import { untilInterrupt } from "../until-interrupt.ts";
import { clusterName } from "./cluster/options.ts";

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

const serverClass = "org.apache.spark.deploy.history.HistoryServer";
const boundServer = /Bound HistoryServer to [^,]*, and started at (http[^\s"]+)/;
const defaultPort = 18_080;
const maxKeptBytes = 64 * 1024;

/** Runs `firesteel history`. @returns the exit code */
export async function runHistoryCommand(host: Host, args: readonly string[]): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(usage);
    return exitCodes.ok;
  }
  const values = ["--dir", "--name", "--port", "--spark-version", "--properties-file"] as const;
  const flags = parseOptions(args, { flags: [], values, maxPositionals: 0 });
  const port = parsePort(flags.value("--port"));
  const directory = locate(host, { specified: flags.value("--dir"), name: clusterName(flags) });
  const version = flags.value("--spark-version");
  const progress = showProgress(host);
  const spark = await findSpark(host, { version, install: releaseOf(version ?? newestLine), progress });
  const { home: javaHome } = await findJava(host, progress);
  const settings = settingsText(host, { directory, port, path: flags.value("--properties-file") });
  const jars = directory.startsWith("s3a:") ? await s3aJars(host, spark) : [];
  const work = makeProcessDirectory(host, `${host.files.temporaryRoot}/firesteel-history-`);
  try {
    // Settings can be secret, so they are not arguments.
    const properties = `${work}/history.properties`;
    host.files.write(properties, settings, { mode: 0o600 });
    return await serve(host, { spark, javaHome, jars, properties, directory });
  } finally {
    host.files.remove(work);
  }
}

interface Location {
  /** Value of `--dir`. */
  readonly specified: string | undefined;
  /** Name of the embedded cluster. */
  readonly name: string;
}

/** Returns the URI of a directory. @throws SUBMIT_ERR_HISTORY_SERVER if a local one does not exist */
function locate(host: Host, { specified, name }: Location): string {
  if (specified === undefined) {
    const directory = readClusterRecord(host, name)?.eventLogs ?? clusterPaths(host, name).eventLogs;
    return `file://${openEventLogs(host, { directory, drivers: "running" })}`;
  }
  if (/^[A-Za-z][A-Za-z0-9+.-]+:/.test(specified) && !specified.startsWith("file:")) return specified;
  const path = absolutePath(host, specified.replace(/^file:(\/\/)?/, ""));
  if (host.files.info(path)?.kind !== "directory")
    throw submitError("SUBMIT_ERR_HISTORY_SERVER", { directory: path, reason: "it is not a directory" });
  return `file://${path}`;
}

interface ServerSettings {
  readonly directory: string;
  readonly port: number | undefined;
  readonly path: string | undefined;
}

/** Prints the properties of the server. The last value of a key wins, so those of the options follow the user's file. */
function settingsText(host: Host, { directory, port, path }: ServerSettings): string {
  const own = path === undefined ? "" : host.files.readText(absolutePath(host, path));
  if (own === undefined)
    throw submitError("SUBMIT_ERR_HISTORY_SERVER", { directory, reason: `the properties file ${path} does not exist` });
  const lines = [
    `${history.directory}=${directory.replaceAll("\\", "\\\\")}`,
    `${history.port}=${port ?? defaultPort}`,
    ...(port === undefined ? [] : [`${history.maxRetries}=0`]),
  ];
  // Of a job on the embedded cluster: the server runs on this machine, not in a pod.
  return `${own}\n${lines.join("\n")}\n`.replaceAll(machineName, "127.0.0.1");
}

/** Downloads Hadoop's S3A file system, which Spark's distributions lack, in the version of their Hadoop. */
async function s3aJars(host: Host, { home }: SparkHome): Promise<readonly string[]> {
  const names = host.files.list(`${home}/jars`) ?? [];
  const version = names.flatMap((name) => /^hadoop-client-api-(.+)\.jar$/.exec(name)?.[1] ?? [])[0] ?? "3.4.1";
  const { parseResolve } = await import("./package-options.ts");
  const { providePackages } = await import("../../packages/provide-packages.ts");
  const { request, options } = parseResolve(host, [`org.apache.hadoop:hadoop-aws:${version}`]);
  const jars = await providePackages(host, request, { options, progress: showProgress(host) });
  return jars.flatMap(({ localPath }) => localPath ?? []);
}

interface Server {
  readonly spark: SparkHome;
  readonly javaHome: string;
  readonly jars: readonly string[];
  readonly properties: string;
  readonly directory: string;
}

async function serve(host: Host, { spark, javaHome, jars, properties, directory }: Server): Promise<number> {
  const classPath = [host.env["SPARK_DIST_CLASSPATH"] ?? "", ...jars].filter((entry) => entry !== "").join(":");
  const env = {
    ...{ ...host.env, SPARK_HOME: spark.home, JAVA_HOME: javaHome, SPARK_DIST_CLASSPATH: classPath },
    ...{ SPARK_LOCAL_IP: "127.0.0.1", SPARK_PUBLIC_DNS: "127.0.0.1" },
  };
  const args = [serverClass, "--properties-file", properties];
  // The script replaces itself by Java, so that both have the same process ID.
  const child = host.spawn(`${spark.home}/bin/spark-class`, args, { env });
  const endGuard = guardChild(host, child);
  let output = "";
  let isServing = false;
  const onOutput = (chunk: Uint8Array) => {
    output = `${output}${Buffer.from(chunk).toString("utf8")}`.slice(-maxKeptBytes);
    const url = boundServer.exec(output)?.[1];
    if (isServing || url === undefined) return;
    isServing = true;
    host.stdout.write(`${visibleLine(url)}\n`);
    host.stderr.write(`Serving the event logs in ${visibleLine(directory)}; to stop, press Ctrl+C\n`);
  };
  child.onOutput(1, onOutput);
  child.onOutput(2, onOutput);
  return untilInterrupt(host, async (signal) => {
    signal.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
    const { code, error } = await child.exited;
    endGuard();
    if (signal.aborted) return exitCodes.ok;
    const reason = error ?? reasonIn(output) ?? `the server ended with exit code ${code}`;
    throw submitError("SUBMIT_ERR_HISTORY_SERVER", { directory, reason });
  });
}

/** Finds the innermost exception in the output of the server. */
function reasonIn(output: string): string | undefined {
  const causes = output.split("\n").filter((line) => /^(Caused by: |Exception in thread)|Exception: /.test(line));
  return causes
    .at(-1)
    ?.replace(/^(Caused by: |Exception in thread "\w+" )/, "")
    .trim()
    .replace(/\.$/, "");
}
