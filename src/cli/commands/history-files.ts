import { history } from "../../conf/entries/history.ts";
import { submitError } from "../../errors/submit-error.ts";
import { absolutePath } from "../../host/absolute-path.ts";
import type { Host } from "../../host/host.ts";
import { showProgress } from "../../host/progress.ts";
import type { SparkHome } from "../../spark/spark-home.ts";

/** Returns the URI of a directory of event logs. @throws SUBMIT_ERR_HISTORY_SERVER if a local one does not exist */
export function locateEventLogs(host: Host, specified: string): string {
  if (/^[A-Za-z][A-Za-z0-9+.-]+:/.test(specified) && !specified.startsWith("file:")) return specified;
  const path = absolutePath(host, specified.replace(/^file:(\/\/)?/, ""));
  if (host.files.info(path)?.kind !== "directory")
    throw submitError("SUBMIT_ERR_HISTORY_SERVER", { directory: path, reason: "it is not a directory" });
  return `file://${path}`;
}

interface ServerAddress {
  /** URI. */
  readonly directory: string;
  /** @default 18080, or the next free one; 0: any free port */
  readonly port: number | undefined;
}

const defaultPort = 18_080;

/** Returns the settings of a history server that serves a directory. */
export function historySettings({ directory, port }: ServerAddress): ReadonlyMap<string, string> {
  return new Map([
    [history.directory, directory],
    [history.port, String(port ?? defaultPort)],
    ...(port === undefined ? [] : [[history.maxRetries, "0"] as const]),
  ]);
}

/** Downloads what a history server needs for a directory: Hadoop's S3A file system, which Spark's distributions lack. */
export async function provideHistoryJars(
  host: Host,
  { home }: SparkHome,
  directory: string,
): Promise<readonly string[]> {
  if (!directory.startsWith("s3a:")) return [];
  const names = host.files.list(`${home}/jars`) ?? [];
  // In the version of the distribution's Hadoop.
  const version = names.flatMap((name) => /^hadoop-client-api-(.+)\.jar$/.exec(name)?.[1] ?? [])[0] ?? "3.4.1";
  const { parseResolve } = await import("./package-options.ts");
  const { providePackages } = await import("../../packages/provide-packages.ts");
  const { request, options } = parseResolve(host, [`org.apache.hadoop:hadoop-aws:${version}`]);
  const jars = await providePackages(host, request, { options, progress: showProgress(host) });
  return jars.flatMap(({ localPath }) => localPath ?? []);
}
