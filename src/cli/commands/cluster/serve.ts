import type { Host } from "../../../host/host.ts";
import { showProgress } from "../../../host/progress.ts";
import { removeTree } from "../../../host/remove-tree.ts";
import { replaceFile } from "../../../host/replace-file.ts";
import { keepHeapSmall } from "../../../host/small-heap.ts";
import { takeLock } from "../../cluster-lock.ts";
import { type ClusterPaths, clusterPaths, writeClusterRecord } from "../../cluster-record.ts";
import { fetchSpark, prepareRuntime, withoutDriversPort } from "../../embedded.ts";
import { openEventLogs } from "../../event-logs.ts";
import { startClusterArchives } from "./cluster-archives.ts";
import { parseStartOptions, type StartOptions } from "./options.ts";
import { startClusterShuffleService } from "./shuffle-service.ts";

/** Heap size up to which V8 may trade memory for speed; a cluster with 1,000 pods needs less. */
const relaxedHeapBytes = 192 * 1024 * 1024;

/** Runs `cluster serve`, the daemon of `cluster start`: serves the cluster in this process until a signal arrives. */
export async function serveCluster(host: Host, args: readonly string[]): Promise<number> {
  const options = parseStartOptions(args);
  const paths = clusterPaths(host, options.name);
  host.files.makeDirectory(paths.directory, { mode: 0o700 });
  takeLock(host, options.name);
  try {
    await serve(host, options, paths);
  } finally {
    for (const path of [paths.record, paths.kubeconfig, paths.lock]) removeTree(host.files, path);
  }
  return 0;
}

async function serve(host: Host, options: StartOptions, paths: ClusterPaths): Promise<void> {
  const { name, apiOnly, sandbox, network, sparkVersion } = options;
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) host.onSignal(signal, resolve);
  });
  const runtime = apiOnly
    ? { sparkHomes: [], javaHome: undefined }
    : await prepareRuntime(host, { sparkVersion, progress: showProgress(host) });
  const { startCluster } = await import("../../../local-cluster/index.ts");
  const eventLogs = apiOnly ? undefined : openEventLogs(host, { directory: paths.eventLogs, drivers: "none" });
  const cluster = await startCluster(host, {
    ...{ directory: paths.data, apiOnly, sandbox, network, withoutDriversPort },
    ...runtime,
    fetchSpark: (version) => fetchSpark(host, version),
    uploads: paths.uploads,
    ...(eventLogs !== undefined && { eventLogs }),
    storage: { sync: options.sync, repairs: options.repairs },
    overcommits: options.overcommits,
    hasShuffleService: options.shuffle !== undefined,
    ...(options.hostPathRoots.length === 0
      ? {}
      : {
          hostPathRoots: [...options.hostPathRoots, ...(options.shuffle === undefined ? [] : [paths.shuffle])],
        }),
  });
  const stopHeapMonitor = keepHeapSmall(host.clock, relaxedHeapBytes);
  let stopArchives = async () => {};
  let shuffle: Awaited<ReturnType<typeof startClusterShuffleService>> | undefined;
  try {
    replaceFile(host, paths.kubeconfig, cluster.kubeconfig, { mode: 0o600 });
    if (options.shuffle !== undefined) {
      shuffle = await startClusterShuffleService(host, { paths, url: cluster.url, ...options.shuffle });
    }
    if (!apiOnly) stopArchives = await startClusterArchives(host, { ...cluster, name });
    writeClusterRecord(host, {
      ...{ name, apiOnly, pid: host.pid, started: host.clock.now() },
      ...{ url: cluster.url, certificateAuthority: cluster.certificateAuthority, token: cluster.token },
      sandbox: cluster.sandbox,
      network: cluster.network,
      machineName: cluster.machineName,
      sparkVersions: runtime.sparkHomes.map(({ version }) => version),
      shuffle: shuffle?.record,
      ...{ eventLogs, archivesDrivers: !apiOnly },
      notices: cluster.notices,
    });
    for (const notice of cluster.notices) host.stderr.write(`${notice}\n`);
    host.stderr.write(`Serving ${cluster.url}\n`);
    await stopped;
  } finally {
    stopHeapMonitor();
    await stopArchives();
    await shuffle?.stop();
    await cluster.stop();
  }
}
