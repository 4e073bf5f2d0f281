import { driverMaster } from "../conf/entries/driver.ts";
import { newestLine, newestRelease, parseSparkVersion, sparkLines } from "../conf/spark-version.ts";
import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { isRunning } from "../host/is-running.ts";
import { type Progress, showProgress } from "../host/progress.ts";
import { removeTree } from "../host/remove-tree.ts";
import { findJava } from "../spark/find-java.ts";
import { findSpark, listDistributions } from "../spark/find-spark.ts";
import { isWantedVersion, type SparkHome } from "../spark/spark-home.ts";
import { clusterPaths, findRunningCluster, stateDirectory } from "./cluster-record.ts";

/** A way into the embedded cluster: all that a submission to `k8s://embedded` needs to know of it. */
export interface EmbeddedConnection {
  /** Of the API server, e.g. `https://127.90.0.1:40123`. */
  readonly url: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly certificateAuthority: string;
  /** Bearer token of the administrator. */
  readonly token: string;
  /** Where a driver finds the API server: pods have no DNS that could serve `kubernetes.default.svc`. */
  readonly driverMaster: string;
  /** Of the Spark that `defaults.image` holds, e.g. `4.3.0`. */
  readonly sparkVersion: string;
  /** What the submission gets where its user says nothing. */
  readonly defaults: {
    /** Container image, e.g. `spark:4.3.0`. */
    readonly image: string;
    /** The driver's service account, which may create executors. */
    readonly serviceAccountName: string;
    /** Where local dependencies are uploaded to: a folder that pods of Spark see at the same path. */
    readonly uploadPath: string;
  };
  /** `background`: started by `firesteel cluster start`; `inside`: in this process, and gone after `close`. */
  readonly place: "background" | "inside";
  /** Which sandbox runs the pods: `bwrap`, `unshare`, `process`. */
  readonly sandbox: string;
  /** Lets go of a background cluster; ends an inside one and its pods. May be called twice. */
  readonly close: () => Promise<void>;
}

/** What a submission wants of the embedded cluster. */
export interface EmbeddedOptions {
  /** Release or line of Spark that the pods run, e.g. `4.3.0` or `4.3`. @default the local Spark, else the newest known */
  readonly sparkVersion?: string | undefined;
}

/**
 * Opens the embedded cluster: the background one if it is alive, else one inside this process. Whoever asks while an
 * inside one is open gets that one; it ends when all have closed it.
 *
 * An inside cluster needs a Spark and a Java; what the machine lacks is fetched, with progress on stderr.
 *
 * @throws SubmitError `SUBMIT_ERR_SPARK_…`, `SUBMIT_ERR_JAVA_…`, and what starting a cluster throws.
 */
export async function openEmbedded(host: Host, options: EmbeddedOptions = {}): Promise<EmbeddedConnection> {
  const running = await findRunningCluster(host, "default");
  if (running === undefined) return await openInside(host, options);
  const { url, certificateAuthority, token, sandbox, sparkVersions } = running;
  const here = sparkVersions.find((version) => isWantedVersion(version, options.sparkVersion));
  const version = here ?? releaseOf(options.sparkVersion);
  return {
    ...{ url, certificateAuthority, token, sandbox, driverMaster: url, place: "background" },
    ...defaultsFor(version, clusterPaths(host, "default").uploads),
    close: async () => {},
  };
}

/** Spark and Java for the pods; what the machine lacks is fetched. */
export async function prepareRuntime(
  host: Host,
  { sparkVersion, progress }: EmbeddedOptions & { readonly progress: Progress },
): Promise<{ readonly sparks: readonly [SparkHome, ...SparkHome[]]; readonly javaHome: string }> {
  const install = releaseOf(sparkVersion);
  const spark = await findSpark(host, { wanted: sparkVersion, install, progress });
  const java = await findJava(host, progress);
  const others = listDistributions(host).filter(({ home }) => home !== spark.home);
  return { sparks: [spark, ...others], javaHome: java.home };
}

/** Gets a Spark for an image that is to be pulled; what the machine has already is used. */
export async function fetchSpark(host: Host, version: string): Promise<SparkHome> {
  const search = { wanted: version, install: releaseOf(version), progress: showProgress(host) };
  return await findSpark(host, search);
}

/** The release to install for a release or a line. @throws SubmitError `SUBMIT_ERR_SPARK_VERSION` */
export function releaseOf(version: string | undefined): string {
  if (version === undefined) return newestRelease(newestLine).text;
  const parsed = parseSparkVersion(version);
  if (parsed === undefined)
    throw submitError("SUBMIT_ERR_SPARK_VERSION", { text: version, known: sparkLines });
  return parsed.text;
}

/** What a submission for a release gets where its user says nothing. */
export function defaultsFor(
  version: string,
  uploadPath: string,
): Pick<EmbeddedConnection, "sparkVersion" | "defaults"> {
  return {
    sparkVersion: version,
    defaults: { image: `spark:${version}`, serviceAccountName: "spark", uploadPath },
  };
}

/**
 * What tells a driver where the API is although its properties do not: those of Apache's client say nothing of it.
 *
 * Source: Spark's SparkSubmitCommandBuilder, and SparkConf, which takes properties of the JVM. What the properties of
 * the driver say wins.
 */
export function withoutDriversPort(url: string): Readonly<Record<string, string>> {
  return { SPARK_SUBMIT_OPTS: `-D${driverMaster.key}=${url}` };
}

type InsideCluster = Omit<EmbeddedConnection, "close"> & { readonly stop: () => Promise<void> };

interface SharedCluster {
  readonly opening: Promise<InsideCluster>;
  users: number;
}

/** The inside cluster of each machine; a program has one machine, and a host that differs in argv only shares it. */
const shared = new WeakMap<Host["files"], SharedCluster>();

async function openInside(host: Host, options: EmbeddedOptions): Promise<EmbeddedConnection> {
  const machine = host.files;
  const entry = shared.get(machine) ?? { opening: startInside(host, options), users: 0 };
  shared.set(machine, entry);
  entry.users += 1;
  let isOpen = true;
  const leave = async (stop: () => Promise<void>) => {
    if (!isOpen) return;
    isOpen = false;
    entry.users -= 1;
    if (entry.users > 0) return;
    shared.delete(machine);
    await stop();
  };
  try {
    const { stop, ...connection } = await entry.opening;
    return { ...connection, close: () => leave(stop) };
  } catch (error) {
    await leave(async () => {});
    throw error;
  }
}

async function startInside(host: Host, options: EmbeddedOptions): Promise<InsideCluster> {
  const runtime = await prepareRuntime(host, { ...options, progress: showProgress(host) });
  const { startCluster } = await import("../local-cluster/index.ts");
  const directory = makeInsideDirectory(host);
  const remove = () => removeTree(host.files, directory);
  const uploads = `${directory}/uploads`;
  const clusterOptions = {
    directory,
    uploads,
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
  const { url, certificateAuthority, token, sandbox, notices } = cluster;
  for (const notice of notices) host.stderr.write(`${notice}\n`);
  return {
    ...{ url, certificateAuthority, token, sandbox, driverMaster: url, place: "inside" },
    ...defaultsFor(runtime.sparks[0].version, uploads),
    stop: async () => {
      await cluster.stop();
      remove();
    },
  };
}

/** A folder of its own; those of commands that were killed are removed. */
function makeInsideDirectory(host: Host): string {
  const parent = `${stateDirectory(host)}/inside`;
  host.files.makeDirectory(parent, { mode: 0o700 });
  for (const name of host.files.list(parent) ?? []) {
    const pid = Number(name.split("-")[0]);
    if (Number.isInteger(pid) && !isRunning(host, pid)) removeTree(host.files, `${parent}/${name}`);
  }
  return host.files.makeTemporaryDirectory(`${parent}/${host.pid}-`);
}
