import { submitError } from "../errors/submit-error.ts";
import { cacheDirectory } from "../host/cache-directory.ts";
import { clusterRecordFile, clustersDirectory } from "../host/clusters-directory.ts";
import type { Host } from "../host/host.ts";
import { isRunning } from "../host/is-running.ts";
import { replaceFile } from "../host/replace-file.ts";
import { isApiReady } from "./is-api-ready.ts";

/** Connection data of a background cluster, for other commands. Secret: contains the administrator's token. */
export interface ClusterRecord {
  readonly name: string;
  readonly pid: number;
  readonly url: string;
  readonly certificateAuthority: string;
  readonly token: string;
  readonly sandbox: string;
  /** Network of the pods: `pod`, `shared` or `none`. Clusters of earlier versions do not report it. */
  readonly network?: string;
  /** Name by which pods reach servers at this machine's 127.0.0.1, unless pods share this machine's loopback. */
  readonly machineName?: string | undefined;
  readonly apiOnly: boolean;
  /** Versions of the Spark distributions that images can name, the default first. */
  readonly sparkVersions: readonly string[];
  /** The shuffle service, if the cluster has one. */
  readonly shuffle?: ClusterShuffle | undefined;
  /** Directory for event logs, which pods see. Clusters without pods have none. */
  readonly eventLogs?: string | undefined;
  /** Whether the cluster archives drivers. Clusters of earlier versions do not. */
  readonly archivesDrivers?: boolean;
  /** Problems that the start found and repaired, one sentence each. */
  readonly notices?: readonly string[];
  /** Start time, in ms since 1970. */
  readonly started: number;
}

/** Shuffle service of a background cluster. */
export interface ClusterShuffle {
  readonly port: number;
  /** Directory of this machine for shuffle files, for `hostPath` volumes of executors at the same path. */
  readonly directory: string;
}

/** Paths of a background cluster. */
export interface ClusterPaths {
  readonly directory: string;
  readonly record: string;
  readonly kubeconfig: string;
  readonly log: string;
  /** Directory of the cluster process, with pods and keys. */
  readonly data: string;
  /** Directory for local dependencies of submissions; pods see it at the same path. */
  readonly uploads: string;
  /** Directory for shuffle files; executors see it at the same path. Pods cannot mount the directory of the cluster, which has keys. */
  readonly shuffle: string;
  /** Directory for event logs; pods see it at the same path and can write. It remains after the cluster is deleted. */
  readonly eventLogs: string;
  /** Symbolic link whose target is the ID of the process that runs or starts the cluster. */
  readonly lock: string;
}

/** Returns the paths of a background cluster, which need not exist. */
export function clusterPaths(host: Host, name: string): ClusterPaths {
  const directory = `${clustersDirectory(host)}/${name}`;
  return {
    directory,
    record: `${directory}/${clusterRecordFile}`,
    kubeconfig: `${directory}/kubeconfig`,
    log: `${directory}/cluster.log`,
    data: `${directory}/data`,
    uploads: `${directory}/uploads`,
    shuffle: `${cacheDirectory(host)}/shuffle${directory}`,
    eventLogs: `${cacheDirectory(host)}/event-logs${directory}`,
    lock: `${directory}/lock`,
  };
}

/** Writes the record. */
export function writeClusterRecord(host: Host, record: ClusterRecord): void {
  const path = clusterPaths(host, record.name).record;
  replaceFile(host, path, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
}

/** Reads the record of a cluster, which may have ended. */
export function readClusterRecord(host: Host, name: string): ClusterRecord | undefined {
  const text = host.files.readText(clusterPaths(host, name).record);
  return text === undefined ? undefined : parseRecord(text);
}

/** Lists the records of all background clusters, which may have ended. */
export function listClusterRecords(host: Host): readonly ClusterRecord[] {
  const names = host.files.list(clustersDirectory(host)) ?? [];
  return names.flatMap((name) => readClusterRecord(host, name) ?? []);
}

/** Returns the background cluster if its process runs and its API responds. */
export async function findRunningCluster(host: Host, name: string): Promise<ClusterRecord | undefined> {
  const record = findClusterProcess(host, name);
  return record !== undefined && (await isApiReady(host.clock, record)) ? record : undefined;
}

/** Returns the background cluster if its process runs and its API responds. @throws SUBMIT_ERR_CLUSTER_NOT_FOUND */
export async function requireRunningCluster(host: Host, name: string): Promise<ClusterRecord> {
  const record = await findRunningCluster(host, name);
  if (record === undefined) throw submitError("SUBMIT_ERR_CLUSTER_NOT_FOUND", { name });
  return record;
}

/** Returns the background cluster if its process runs. */
export function findClusterProcess(host: Host, name: string): ClusterRecord | undefined {
  const record = readClusterRecord(host, name);
  return record !== undefined && isRunning(host, record.pid) ? record : undefined;
}

/** Returns `undefined` for a damaged record: commands then find no cluster, and the next start replaces the record. */
function parseRecord(text: string): ClusterRecord | undefined {
  try {
    const record: unknown = JSON.parse(text);
    return isRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is ClusterRecord {
  if (typeof value !== "object" || value === null || !("pid" in value) || !("url" in value)) return false;
  return typeof value.pid === "number" && typeof value.url === "string";
}
