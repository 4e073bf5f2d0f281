import { submitError } from "../../../errors/submit-error.ts";
import type { ChildProcess, Host } from "../../../host/host.ts";
import { showProgress } from "../../../spark/progress.ts";
import {
  type ClusterRecord,
  clusterPaths,
  findRunningCluster,
  readClusterRecord,
} from "../../cluster-record.ts";
import { prepareRuntime } from "../../embedded.ts";
import { parseStartOptions, printStartOptions, type StartOptions } from "./options.ts";
import { toFacts } from "./status.ts";

const readyLimitMs = 120_000;
const pollMs = 50;

/** `cluster start`: leaves a process of its own behind that serves the cluster. */
export async function startInBackground(host: Host, args: readonly string[]): Promise<number> {
  const options = parseStartOptions(args);
  const running = await findRunningCluster(host, options.name);
  if (running !== undefined) {
    host.stderr.write(`The cluster "${options.name}" is running already.\n`);
    tell(host, running, options);
    return 0;
  }
  if (!options.apiOnly) {
    // Here and not in the daemon, so that downloads show.
    await prepareRuntime(host, { sparkVersion: options.sparkVersion, progress: showProgress(host) });
  }
  tell(host, await startDaemon(host, options), options);
  return 0;
}

async function startDaemon(host: Host, options: StartOptions): Promise<ClusterRecord> {
  const paths = clusterPaths(host, options.name);
  host.files.makeDirectory(paths.directory, { mode: 0o700 });
  host.files.remove(paths.log);
  const output = { file: paths.log };
  const words = [host.programPath, "cluster", "serve", ...printStartOptions(options)];
  const daemon = host.spawn(host.nodePath, words, {
    ...{ cwd: "/", detached: true, stdin: "ignore", stdout: output, stderr: output },
  });
  const record = await waitUntilReady(host, daemon, options.name);
  if (record === undefined) {
    const log = host.files.readText(paths.log) ?? "";
    const lines = log.trim().split("\n").slice(-5).join("\n");
    throw submitError("SUBMIT_ERR_CLUSTER_START", { name: options.name, log: paths.log, lines });
  }
  daemon.release();
  return record;
}

/** The record once the API answers; `undefined` when the daemon ended, or was ended because it took too long. */
async function waitUntilReady(
  host: Host,
  daemon: ChildProcess,
  name: string,
): Promise<ClusterRecord | undefined> {
  const ended = new AbortController();
  const end = daemon.exited.then(() => ended.abort());
  const limit = host.clock.monotonic() + readyLimitMs;
  while (!ended.signal.aborted) {
    const isWritten = readClusterRecord(host, name)?.pid === daemon.pid;
    const record = isWritten ? await findRunningCluster(host, name) : undefined;
    if (record !== undefined) return record;
    if (host.clock.monotonic() > limit) daemon.kill("SIGKILL");
    await host.clock.sleep(pollMs, { signal: ended.signal });
  }
  await end;
  return undefined;
}

function tell(host: Host, record: ClusterRecord, { json }: StartOptions): void {
  if (json) {
    host.stdout.write(`${JSON.stringify(toFacts(host, record), undefined, 2)}\n`);
    return;
  }
  const { name, url, apiOnly, sandbox } = record;
  const { kubeconfig } = clusterPaths(host, name);
  const option = name === "default" ? "" : ` --name ${name}`;
  const master = name === "default" ? "k8s://embedded" : `k8s://${url}`;
  host.stdout.write(
    [
      `Cluster "${name}" at ${url}, ${apiOnly ? "API only: nothing runs pods" : `pods run in ${sandbox} sandboxes`}.`,
      `Kubeconfig: ${kubeconfig}`,
      "",
      "Try:",
      `  eval "$(firesteel cluster env${option})" && kubectl get pods -A`,
      `  spark-submit --master ${master} --deploy-mode cluster local:///opt/spark/examples/src/main/python/pi.py`,
      `  firesteel cluster stop${option}`,
      "",
    ].join("\n"),
  );
}
