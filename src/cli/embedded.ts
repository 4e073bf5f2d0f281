import { driverMaster } from "../conf/entries/driver.ts";
import type { Setting } from "../conf/setting.ts";
import { newestLine, newestRelease, parseSparkVersion, sparkLines } from "../conf/spark-version.ts";
import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { type Progress, showProgress } from "../host/progress.ts";
import { removeTree } from "../host/remove-tree.ts";
import { makePrivateDirectory } from "../host/state-directory.ts";
import { archiveAnnotationKey } from "../plan/archive-annotation.ts";
import type { EmbeddedCluster } from "../resolve/destination.ts";
import { classArchiveDirectory, hasClassArchive, sharesClasses } from "../spark/class-archive.ts";
import { findJava } from "../spark/find-java.ts";
import { findSpark, listDistributions } from "../spark/find-spark.ts";
import { matchesVersion, type SparkHome } from "../spark/spark-home.ts";
import { lockHolder } from "./cluster-lock.ts";
import { clusterPaths, findRunningCluster, requireRunningCluster } from "./cluster-record.ts";
import { openEventLogs } from "./event-logs.ts";

/** Connection to an embedded cluster, with the defaults of submissions to it. */
export interface EmbeddedConnection {
  /** Name of the cluster, e.g. `default`. */
  readonly name: string;
  /** URL of the API server, e.g. `https://127.90.0.1:40123`. */
  readonly url: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly certificateAuthority: string;
  /** Bearer token of the administrator. */
  readonly token: string;
  /** URL of the API server for drivers: pods have no DNS for `kubernetes.default.svc`. */
  readonly driverMaster: string;
  /** Version of the Spark in `defaults.image`, e.g. `4.3.0`. */
  readonly sparkVersion: string;
  /** Values for settings that the user does not specify. */
  readonly defaults: {
    /** Container image, e.g. `spark:4.3.0`. */
    readonly image: string;
    /** The driver's service account, which has permission to create executors. */
    readonly serviceAccountName: string;
    /** Directory for uploads of local dependencies; pods see it at the same path. */
    readonly uploadPath: string;
    /** Directory for event logs; pods see it at the same path and can write. */
    readonly eventLogs: string | undefined;
  };
  /** Returns the setting with which the cluster archives a driver. Undefined if the client that waits archives it. */
  readonly archiveSetting?: EmbeddedCluster["archiveSetting"];
  /** `background`: started by `firesteel cluster start`; `inside`: in this process, ends with `close`. */
  readonly location: "background" | "inside";
  /** Name of the sandbox of the pods: `bwrap`, `unshare`, `process`. */
  readonly sandbox: string;
  /** Name by which pods reach servers at this machine's 127.0.0.1; `undefined` if pods share this machine's loopback. */
  readonly machineName: string | undefined;
  /** Throws if the process of a background cluster has ended. @throws SubmitError `SUBMIT_ERR_CLUSTER_NOT_FOUND` */
  readonly requireRunning?: () => void;
  /** Closes the connection. Ends an inside cluster and its pods. Further calls do nothing. */
  readonly close: () => Promise<void>;
}

/** Requirements of a submission to the embedded cluster. */
interface EmbeddedOptions {
  /** Name of the cluster. @default `default` */
  readonly name?: string | undefined;
  /** Release or release line of Spark for the pods, e.g. `4.3.0` or `4.3`. @default the local Spark, else the newest known */
  readonly sparkVersion?: string | undefined;
}

/**
 * Connects to the background cluster if it runs, else starts one inside this process. Calls share one inside cluster, which ends
 * when the last of them closes its connection. Only the cluster `default` can be inside.
 *
 * An inside cluster needs Spark and Java. Missing ones are downloaded, with progress on stderr.
 *
 * @throws SubmitError `SUBMIT_ERR_CLUSTER_NOT_FOUND`, `SUBMIT_ERR_SPARK_…`, `SUBMIT_ERR_JAVA_…`, and errors of the cluster's start
 */
export async function openEmbedded(host: Host, options: EmbeddedOptions = {}): Promise<EmbeddedConnection> {
  const { name = "default" } = options;
  const running = await (name === "default" ? findRunningCluster : requireRunningCluster)(host, name);
  if (running === undefined) return await openInside(host, options);
  const { url, certificateAuthority, token, sandbox, machineName, sparkVersions, eventLogs, archivesDrivers } = running;
  const installed = sparkVersions.find((version) => matchesVersion(version, options.sparkVersion));
  const version = installed ?? releaseOf(options.sparkVersion);
  return {
    ...{ name, url, certificateAuthority, token, sandbox, machineName, driverMaster: url, location: "background" },
    ...defaultsFor(version, {
      uploadPath: clusterPaths(host, name).uploads,
      // This command can have another cache directory than the cluster, whose pods see only its own.
      eventLogs: eventLogs && openEventLogs(host, { directory: eventLogs, drivers: "running" }),
    }),
    requireRunning() {
      if (lockHolder(host, name) === undefined) throw submitError("SUBMIT_ERR_CLUSTER_NOT_FOUND", { name });
    },
    ...(archivesDrivers === true && { archiveSetting: (location) => archiveSetting(host, location, token) }),
    close: async () => {},
  };
}

async function archiveSetting(host: Host, location: string, token: string): Promise<Setting | undefined> {
  const { signArchiveRequest } = await import("../masters/kubernetes/archive/archive-request.ts");
  const value = signArchiveRequest(host, location, token);
  const origin = { kind: "client", why: "embedded cluster" } as const;
  return value === undefined ? undefined : { key: archiveAnnotationKey, value, origin };
}

/** Spark and Java for the pods. */
interface EmbeddedRuntime {
  readonly sparkHomes: readonly [SparkHome, ...SparkHome[]];
  readonly javaHome: string;
  /** Returns the directory of a Spark's class data archive for this Java, if there is one. */
  readonly classArchive: (spark: Pick<SparkHome, "version" | "home">) => string | undefined;
}

/** Finds Spark and Java for the pods, and downloads missing ones. */
export async function prepareRuntime(
  host: Host,
  { sparkVersion, progress }: EmbeddedOptions & { readonly progress: Progress },
): Promise<EmbeddedRuntime> {
  const install = releaseOf(sparkVersion);
  const spark = await findSpark(host, { version: sparkVersion, install, progress });
  const java = await findJava(host, progress);
  const others = listDistributions(host).filter(({ home }) => home !== spark.home);
  const classArchive = (distribution: Pick<SparkHome, "version" | "home">) => {
    if (!sharesClasses(host)) return undefined;
    const directory = classArchiveDirectory(host, { ...distribution, javaHome: java.home });
    return hasClassArchive(host, directory) ? directory : undefined;
  };
  return { sparkHomes: [spark, ...others], javaHome: java.home, classArchive };
}

/** Finds the Spark for an image, and downloads it if this machine does not have it. */
export async function fetchSpark(host: Host, version: string): Promise<SparkHome> {
  const search = { version, install: releaseOf(version), progress: showProgress(host) };
  return await findSpark(host, search);
}

/** Returns the release to install for a release or a release line. @throws SubmitError `SUBMIT_ERR_SPARK_VERSION` */
export function releaseOf(version: string | undefined): string {
  if (version === undefined) return newestRelease(newestLine).text;
  const parsed = parseSparkVersion(version);
  if (parsed === undefined) throw submitError("SUBMIT_ERR_SPARK_VERSION", { text: version, known: sparkLines });
  return parsed.text;
}

/** Builds the values for settings that the user does not specify. */
export function defaultsFor(
  version: string,
  directories: Pick<EmbeddedConnection["defaults"], "uploadPath" | "eventLogs">,
): Pick<EmbeddedConnection, "sparkVersion" | "defaults"> {
  return {
    sparkVersion: version,
    defaults: { image: `spark:${version}`, serviceAccountName: "spark", ...directories },
  };
}

/**
 * Returns variables with the address of the API for drivers, for submissions of Apache's client, whose properties lack it. The
 * driver's own properties win.
 *
 * Source: Spark's SparkSubmitCommandBuilder, and SparkConf, which reads the JVM's system properties.
 */
export function withoutDriversPort(url: string): Readonly<Record<string, string>> {
  return { SPARK_SUBMIT_OPTS: `-D${driverMaster.key}=${url}` };
}

type InsideCluster = Omit<EmbeddedConnection, "close"> & { readonly stop: () => Promise<void> };

interface SharedCluster {
  readonly opening: Promise<InsideCluster>;
  users: number;
}

/** Inside clusters by file system: hosts of one program differ in argv only, and share the cluster. */
const shared = new WeakMap<Host["files"], SharedCluster>();

/** Connects to a cluster inside this process, even if the background cluster runs; see `openEmbedded`. */
export async function openInside(host: Host, options: EmbeddedOptions): Promise<EmbeddedConnection> {
  const machine = host.files;
  const entry = shared.get(machine) ?? { opening: startInside(host, options), users: 0 };
  shared.set(machine, entry);
  entry.users += 1;
  let isOpen = true;
  const release = async (stop: () => Promise<void>) => {
    if (!isOpen) return;
    isOpen = false;
    entry.users -= 1;
    if (entry.users > 0) return;
    shared.delete(machine);
    await stop();
  };
  try {
    const { stop, ...connection } = await entry.opening;
    return { ...connection, close: () => release(stop) };
  } catch (error) {
    await release(async () => {});
    throw error;
  }
}

async function startInside(host: Host, options: EmbeddedOptions): Promise<InsideCluster> {
  const runtime = await prepareRuntime(host, { ...options, progress: showProgress(host) });
  const { startCluster } = await import("../local-cluster/index.ts");
  const directory = makePrivateDirectory(host);
  const remove = () => removeTree(host.files, directory);
  const uploads = `${directory}/uploads`;
  const eventLogs = openEventLogs(host, { directory: clusterPaths(host, "default").eventLogs, drivers: "running" });
  const clusterOptions = {
    directory,
    uploads,
    eventLogs,
    fetchSpark: (version: string) => fetchSpark(host, version),
    apiOnly: false,
    sandbox: "auto",
    withoutDriversPort,
    ...runtime,
  } as const;
  const cluster = await startCluster(host, clusterOptions).catch((error: unknown) => {
    remove();
    throw error;
  });
  const { url, certificateAuthority, token, sandbox, machineName, notices } = cluster;
  for (const notice of notices) host.stderr.write(`${notice}\n`);
  return {
    ...{
      name: "default",
      url,
      certificateAuthority,
      token,
      sandbox,
      machineName,
      driverMaster: url,
      location: "inside",
    },
    ...defaultsFor(runtime.sparkHomes[0].version, { uploadPath: uploads, eventLogs }),
    stop: async () => {
      await cluster.stop();
      remove();
    },
  };
}
