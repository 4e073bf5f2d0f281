import type { Host } from "../host/host.ts";
import { isRunning } from "../host/is-running.ts";
import { isApiReady } from "./is-api-ready.ts";

/** What a background cluster leaves for others to find it by. Secret: it holds the administrator's token. */
export interface ClusterRecord {
  readonly name: string;
  readonly pid: number;
  readonly url: string;
  readonly certificateAuthority: string;
  readonly token: string;
  readonly sandbox: string;
  readonly apiOnly: boolean;
  /** Of the distributions that its images may name, the preferred one first. */
  readonly sparkVersions: readonly string[];
  /** What its start found amiss and mended, a sentence each. */
  readonly notices?: readonly string[];
  /** Ms since 1970. */
  readonly started: number;
}

/** Where the parts of a background cluster lie. */
export interface ClusterPaths {
  readonly directory: string;
  readonly record: string;
  readonly kubeconfig: string;
  readonly log: string;
  /** The cluster's own folder: pods, keys. */
  readonly data: string;
  /** Local dependencies of submissions; pods see it at the same path. */
  readonly uploads: string;
  /** A link whose text is the number of the process that runs, or is starting, the cluster. */
  readonly lock: string;
}

/**
 * The folder for what outlives a command but is no configuration: `FIRESTEEL_STATE`, else `firesteel` in the user's state.
 *
 * Source: XDG Base Directory Specification 0.8.
 */
export function stateDirectory(host: Host): string {
  const own = host.env["FIRESTEEL_STATE"];
  if (own !== undefined && own !== "") return own.startsWith("/") ? own : `${host.cwd}/${own}`;
  const xdg = host.env["XDG_STATE_HOME"];
  return `${xdg?.startsWith("/") === true ? xdg : `${host.user.home}/.local/state`}/firesteel`;
}

/** The places of a background cluster of that name, whether or not there is one. */
export function clusterPaths(host: Host, name: string): ClusterPaths {
  const directory = `${stateDirectory(host)}/clusters/${name}`;
  return {
    directory,
    record: `${directory}/cluster.json`,
    kubeconfig: `${directory}/kubeconfig`,
    log: `${directory}/cluster.log`,
    data: `${directory}/data`,
    uploads: `${directory}/uploads`,
    lock: `${directory}/lock`,
  };
}

/** Appears whole: written beside its place, then renamed. */
export function writeClusterRecord(host: Host, record: ClusterRecord): void {
  const path = clusterPaths(host, record.name).record;
  host.files.write(`${path}.new`, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  host.files.rename(`${path}.new`, path);
}

/** The record of a cluster, alive or not. */
export function readClusterRecord(host: Host, name: string): ClusterRecord | undefined {
  const text = host.files.readText(clusterPaths(host, name).record);
  return text === undefined ? undefined : parseRecord(text);
}

/** The background cluster of that name, if its process is there and its API answers to us. */
export async function findRunningCluster(host: Host, name: string): Promise<ClusterRecord | undefined> {
  const record = readClusterRecord(host, name);
  if (record === undefined || !isRunning(host, record.pid)) return undefined;
  return (await isApiReady(host.clock, record)) ? record : undefined;
}

function parseRecord(text: string): ClusterRecord {
  return JSON.parse(text);
}
