import type { Host } from "../../../host/host.ts";
import { type ClusterRecord, clusterPaths, findClusterProcess, findRunningCluster } from "../../cluster-record.ts";
import { parseOptions } from "../../parse-options.ts";
import { clusterName } from "./options.ts";

/** Runs `cluster status`. @returns the exit code: 0 if the cluster is running, else 1 */
export async function showClusterStatus(host: Host, args: readonly string[]): Promise<number> {
  const flags = parseOptions(args, { flags: ["--json"], values: ["--name"], maxPositionals: 0 });
  const name = clusterName(flags);
  const record = await findRunningCluster(host, name);
  if (flags.has("--json")) {
    const facts = record === undefined ? { name, running: false } : toFacts(host, record);
    host.stdout.write(`${JSON.stringify(facts, undefined, 2)}\n`);
  } else if (record === undefined) {
    const unresponsive = findClusterProcess(host, name);
    const problem =
      unresponsive === undefined
        ? "is not running."
        : `does not respond, but its process ${unresponsive.pid} runs. Log: ${clusterPaths(host, name).log}`;
    host.stdout.write(`Cluster "${name}" ${problem}\n`);
  } else {
    host.stdout.write(printStatus(host, record));
  }
  return record === undefined ? 1 : 0;
}

/** Builds the public facts of a running cluster, without secrets. */
export function toFacts(host: Host, record: ClusterRecord): object {
  const {
    name,
    url,
    pid,
    sandbox,
    network = "shared",
    apiOnly,
    sparkVersions,
    shuffle,
    started,
    notices = [],
  } = record;
  const { kubeconfig, log } = clusterPaths(host, name);
  return {
    ...{ name, running: true, url, pid, apiOnly, sandbox, network, notices, sparkVersions },
    ...(shuffle === undefined ? {} : { shuffle }),
    ...{ started: new Date(started).toISOString(), kubeconfig, log },
  };
}

function printStatus(host: Host, record: ClusterRecord): string {
  const { name, url, pid, sandbox, network, apiOnly, sparkVersions, started, notices = [] } = record;
  const { kubeconfig, log } = clusterPaths(host, name);
  const rows = [
    ["API server", url],
    ["Process", `${pid}, since ${new Date(started).toISOString()}`],
    ["Pods", apiOnly ? "none (API only)" : `in ${sandbox} sandboxes`],
    ...(apiOnly ? [] : [["Network", network === "pod" ? "one per pod" : "this machine's"]]),
    ["Spark", sparkVersions.join(", ") || "none"],
    ["Kubeconfig", kubeconfig],
    ["Log", log],
    ...notices.map((notice) => ["Notice", notice]),
  ];
  const lines = rows.map(([title = "", text = ""]) => `  ${`${title}:`.padEnd(12)} ${text}\n`);
  return `Cluster "${name}" is running.\n${lines.join("")}`;
}
