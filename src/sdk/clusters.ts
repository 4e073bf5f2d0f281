import { namespace as namespaceEntry } from "../conf/entries/submission.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { throwIssues } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import type { KubeClient } from "../kube-client/client.ts";
import type { ConnectOptions } from "../kube-client/connect-options.ts";
import { connectionEntries, connectionOptions } from "../masters/kubernetes/connect/connection-options.ts";
import { findCluster } from "../masters/kubernetes/connect/find-cluster.ts";
import type { OpenClient } from "../masters/master-strategy.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import type { Credentials } from "./client-options.ts";
import { type DriverWatch, driverWatch } from "./driver-watch.ts";
import { rejectEmbedded } from "./reject-embedded.ts";

/** A cluster with the connection and the watches that all its applications share. */
export interface Cluster {
  readonly client: KubeClient;
  /** Returns the watch of a namespace, or of all. */
  readonly watch: (namespace: string | undefined) => DriverWatch;
}

/** A cluster and the settings with which it was found. */
export interface FoundCluster {
  readonly cluster: Cluster;
  readonly conf: SparkConf;
  /** Namespace that the settings specify. */
  readonly namespace: string;
}

/** Clusters of a client: one for each address, account and set of connection settings. */
export interface Clusters {
  /**
   * Opens a client for one submission.
   *
   * @param onOpen receives the options of the connection
   */
  readonly openClient: (onOpen: (options: ConnectOptions) => void) => OpenClient;
  /** Returns the cluster to which a submission was connected. */
  readonly reach: (options: ConnectOptions) => Promise<Cluster>;
  /** Finds the cluster that settings specify. @throws SUBMIT_ERR_MASTER_…, SUBMIT_ERR_SETTING_…, SUBMIT_ERR_KUBE_… */
  readonly find: (commandLine: CommandLineSettings) => Promise<FoundCluster>;
  /** Ends all watches and connections. */
  readonly close: () => void;
}

interface ClustersCall {
  readonly host: Host;
  readonly log: Log;
  readonly openClient: OpenClient;
  readonly credentials: Credentials | undefined;
}

/** Creates the clusters of a client. Nothing is connected yet. */
export function sharedClusters(call: ClustersCall): Clusters {
  const { host, log, credentials } = call;
  const known = new Map<string, Promise<Cluster>>();
  const opened: Cluster[] = [];
  const watches = new Set<DriverWatch>();
  const open: OpenClient = (machine, options) => call.openClient(machine, withCredentials(options, credentials));
  const connect = async (options: ConnectOptions): Promise<Cluster> => {
    const client = await open(host, { ...options, log });
    const byNamespace = new Map<string | undefined, DriverWatch>();
    const cluster: Cluster = {
      client,
      watch(namespace) {
        const { clock, random } = host;
        const watch = byNamespace.get(namespace) ?? driverWatch({ client, clock, random, log, namespace });
        byNamespace.set(namespace, watch);
        watches.add(watch);
        return watch;
      },
    };
    opened.push(cluster);
    return cluster;
  };
  const reach = (options: ConnectOptions): Promise<Cluster> => {
    const key = keyOf(options);
    const cluster = known.get(key) ?? connect(options);
    known.set(key, cluster);
    // A later call tries again.
    cluster.catch(() => known.delete(key));
    return cluster;
  };
  return {
    openClient: (onOpen) => (machine, options) => {
      onOpen(options);
      return open(machine, options);
    },
    reach,
    async find(commandLine) {
      const connection = await findCluster({ host, commandLine, openEmbedded: rejectEmbedded });
      const { conf } = connection;
      throwIssues(conf.check([...connectionEntries, namespaceEntry]));
      const cluster = await reach(connectionOptions(connection, log));
      return { cluster, conf, namespace: conf.get(namespaceEntry) };
    },
    close() {
      for (const watch of watches) watch.close();
      for (const { client } of opened) client.close();
    },
  };
}

/** Applications of all Spark lines share a connection. The log is a function, which JSON omits. */
function keyOf(options: ConnectOptions): string {
  return JSON.stringify(options, (name, value) => (name === "traits" ? undefined : value));
}

function withCredentials(options: ConnectOptions, credentials: Credentials | undefined): ConnectOptions {
  if (credentials === undefined) return options;
  const { certificateAuthority: authority, token } = credentials;
  return { ...options, access: { kind: "known", authority, token } };
}
