import { shuffleDirectories, shuffleProfile } from "../../../conf/entries/shuffle-profile.ts";
import { shuffleServiceEntries } from "../../../conf/entries/shuffle-service.ts";
import { submitError } from "../../../errors/submit-error.ts";
import type { ChildProcess, Host } from "../../../host/host.ts";
import { showProgress } from "../../../host/progress.ts";
import { embeddedMaster } from "../../../resolve/embedded-name.ts";
import { matchesVersion } from "../../../spark/spark-home.ts";
import { lockHolder } from "../../cluster-lock.ts";
import {
  type ClusterRecord,
  type ClusterShuffle,
  clusterPaths,
  findRunningCluster,
  readClusterRecord,
} from "../../cluster-record.ts";
import { prepareRuntime } from "../../embedded.ts";
import { parseStartOptions, printStartOptions, type StartOptions } from "./options.ts";
import { toFacts } from "./status.ts";

const readyTimeoutMs = 120_000;
const pollMs = 10;

/** Runs `cluster start`: starts a daemon that serves the cluster. */
export async function startInBackground(host: Host, args: readonly string[]): Promise<number> {
  const options = parseStartOptions(args);
  const running = await findRunningCluster(host, options.name);
  if (running !== undefined) {
    host.stderr.write(`The cluster "${options.name}" is already running${differenceOf(running, options)}.\n`);
    printCluster(host, running, options);
    return 0;
  }
  if (!options.apiOnly) {
    // Here and not in the daemon, so that the user sees the progress of downloads.
    await prepareRuntime(host, { sparkVersion: options.sparkVersion, progress: showProgress(host) });
  }
  const record = await startDaemon(host, options);
  for (const notice of record.notices ?? []) host.stderr.write(`${notice}\n`);
  printCluster(host, record, options);
  return 0;
}

/** Describes what the running cluster has instead of what the options request. */
function differenceOf({ apiOnly, sparkVersions: [version] }: ClusterRecord, options: StartOptions): string {
  const differences = [
    ...(apiOnly === options.apiOnly ? [] : [apiOnly ? "without a node (--api-only)" : "with a node"]),
    ...(version === undefined || matchesVersion(version, options.sparkVersion) ? [] : [`with Spark ${version}`]),
  ];
  if (differences.length === 0) return "";
  return `, ${differences.join(" and ")}. To change that, run firesteel cluster stop first`;
}

async function startDaemon(host: Host, options: StartOptions): Promise<ClusterRecord> {
  const { name } = options;
  const { directory, log } = clusterPaths(host, name);
  host.files.makeDirectory(directory, { mode: 0o700 });
  // Another process can be starting it at the same time.
  const daemon = lockHolder(host, name) === undefined ? spawnDaemon(host, options) : undefined;
  const record = await waitUntilReady(host, name, daemon);
  daemon?.release();
  if (record !== undefined) return record;
  const lines = (host.files.readText(log) ?? "").trim().split("\n").slice(-5).join("\n");
  throw submitError("SUBMIT_ERR_CLUSTER_START", { name, log, lines });
}

function spawnDaemon(host: Host, options: StartOptions): ChildProcess {
  const { log } = clusterPaths(host, options.name);
  host.files.remove(log);
  // Fails if the disk is full: the daemon could not log the reason.
  host.files.write(log, "\n", { mode: 0o600 });
  const output = { file: log };
  // One helper thread of V8 instead of four, and two heaps of the C library: 3.5 MB less at rest.
  const args = ["--v8-pool-size=1", host.programPath, "cluster", "serve", ...printStartOptions(options)];
  const env = { MALLOC_ARENA_MAX: "2", ...host.env };
  // Same working directory: SPARK_HOME, FIRESTEEL_STATE and other paths can be relative to it.
  return host.spawn(host.nodePath, args, {
    ...{ cwd: host.cwd, env, detached: true, stdin: "ignore", stdout: output, stderr: output },
  });
}

/** Waits for the record of a cluster whose API responds; `undefined` if no process starts it any more, or after the timeout. */
async function waitUntilReady(
  host: Host,
  name: string,
  daemon: ChildProcess | undefined,
): Promise<ClusterRecord | undefined> {
  let hasEnded = daemon === undefined;
  void daemon?.exited.then(() => {
    hasEnded = true;
  });
  const deadline = host.clock.monotonic() + readyTimeoutMs;
  while (host.clock.monotonic() < deadline) {
    const record = await findReadyCluster(host, name, daemon);
    if (record !== undefined) return record;
    if (hasEnded && lockHolder(host, name) === undefined) return undefined;
    await host.clock.sleep(pollMs);
  }
  daemon?.kill("SIGKILL");
  return undefined;
}

/** Trusts the record of this daemon, which writes it when the API is ready. A record of another process can be outdated. */
async function findReadyCluster(
  host: Host,
  name: string,
  daemon: ChildProcess | undefined,
): Promise<ClusterRecord | undefined> {
  const record = readClusterRecord(host, name);
  if (record === undefined) return undefined;
  return record.pid === daemon?.pid ? record : await findRunningCluster(host, name);
}

function printCluster(host: Host, record: ClusterRecord, { json }: StartOptions): void {
  if (json) {
    host.stdout.write(`${JSON.stringify(toFacts(host, record), undefined, 2)}\n`);
    return;
  }
  const { name, url, apiOnly, sandbox, shuffle } = record;
  const { kubeconfig } = clusterPaths(host, name);
  const option = name === "default" ? "" : ` --name ${name}`;
  host.stdout.write(
    [
      `Cluster "${name}" at ${url}: ${apiOnly ? "API only, no pod runs" : `pods run in ${sandbox} sandboxes`}.`,
      `Kubeconfig: ${kubeconfig}`,
      ...(shuffle === undefined
        ? []
        : [`Shuffle service: port ${shuffle.port}. Submit with ${shuffleSettings(shuffle)}`]),
      "",
      "Try:",
      `  eval "$(firesteel cluster env${option})" && kubectl get pods -A`,
      ...(apiOnly ? [] : [`  ${submission(record)}`]),
      `  firesteel cluster stop${option}`,
      "",
    ].join("\n"),
  );
}

function shuffleSettings({ port, directory }: ClusterShuffle): string {
  const settings = [
    [shuffleProfile.key, "service"],
    [shuffleDirectories.key, directory],
    ...(port === shuffleServiceEntries.port.absent ? [] : [[shuffleServiceEntries.port.key, String(port)]]),
  ];
  return settings.map(([key, value]) => `--conf ${key}=${value}`).join(" ");
}

/** Prints a submission to the cluster. */
function submission({ name }: ClusterRecord): string {
  return `spark-submit --master ${embeddedMaster(name)} --deploy-mode cluster local:///opt/spark/examples/src/main/python/pi.py`;
}
