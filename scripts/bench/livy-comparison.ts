import { setTimeout } from "node:timers/promises";
import type { ApiTarget } from "./api-target.ts";
import { withNamespace } from "./bench-api.ts";
import { fetchGateway, percentile } from "./gateway-load.ts";
import { type GatewayCluster, startGateway } from "./gateway-process.ts";
import { type BatchServer, type LivyInstallation, withLivyServer } from "./livy-server.ts";
import { cpuOf, numberTable, pssOf, sum, treeOf } from "./measure.ts";

/** Resources for some batches, including child processes. */
export interface Batches {
  readonly name: string;
  readonly batches: number;
  readonly cpuMsPerBatch: number;
  /** Proportional set size: memory that processes share counts once. */
  readonly mebibytesPerBatch: number;
  readonly mebibytes: number;
  /** From the first request until all drivers existed. */
  readonly driverSeconds: number;
  /** Status calls, one after the other. */
  readonly statusP99Ms: number;
}

/** A Livy server and a gateway with the same batches. */
export interface LivyComparison {
  readonly livy: Batches;
  readonly gateway: Batches;
}

const driverTimeoutMs = 600_000;
const statusCalls = 500;
/** Time in which processes finish what they do after the last driver exists. */
const settleMs = 5000;
const headers = { "x-requested-by": "bench" };

/** Submits the same batches to a Livy server and to a gateway, each in a namespace of its own. */
export async function compareWithLivy(
  { kubeconfig, home }: GatewayCluster,
  installation: LivyInstallation,
  count: number,
): Promise<LivyComparison> {
  const livy = await withNamespace({ kubeconfig, home }, ({ namespace }, target) =>
    withLivyServer({ ...installation, kubeconfig, home, server: target.server }, (server) =>
      measureBatches(server, { target, namespace, count }),
    ),
  );
  const gateway = await withNamespace({ kubeconfig, home }, async (cluster, target) => {
    const started = await startGateway(cluster);
    try {
      return await measureBatches({ ...started, name: "gateway" }, { target, namespace: cluster.namespace, count });
    } finally {
      await started.end("SIGKILL");
    }
  });
  return { livy, gateway };
}

interface BatchesCall {
  readonly target: ApiTarget;
  readonly namespace: string;
  readonly count: number;
}

async function measureBatches(server: BatchServer, { target, namespace, count }: BatchesCall): Promise<Batches> {
  const before = usageOf(server.pid);
  const started = performance.now();
  const ids: number[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await submitBatch(server.url, namespace, index));
  await waitForDrivers({ target, namespace, count });
  const driverSeconds = (performance.now() - started) / 1000;
  await setTimeout(settleMs);
  const after = usageOf(server.pid);
  const times: number[] = [];
  for (let call = 0; call < statusCalls; call += 1) {
    const start = performance.now();
    await fetchGateway(server.url, { method: "GET", path: `/batches/${ids[call % count]}` });
    times.push(performance.now() - start);
  }
  return {
    ...{ name: server.name, batches: count, driverSeconds, statusP99Ms: percentile(times, 0.99) },
    cpuMsPerBatch: (after.cpuMs - before.cpuMs) / count,
    mebibytesPerBatch: (after.mebibytes - before.mebibytes) / count,
    mebibytes: after.mebibytes,
  };
}

function usageOf(pid: number): { readonly cpuMs: number; readonly mebibytes: number } {
  const members = treeOf(pid);
  return { cpuMs: sum(members.map(cpuOf)), mebibytes: sum(members.map(pssOf)) / 1024 };
}

async function submitBatch(url: string, namespace: string, index: number): Promise<number> {
  const conf = { "spark.kubernetes.container.image": "spark:4.3.0", "spark.kubernetes.namespace": namespace };
  const body = { file: "local:///opt/app/app.jar", className: "org.example.Main", name: `batch-${index}`, conf };
  const { status, text } = await fetchGateway(url, { method: "POST", path: "/batches", body, headers });
  if (status !== 201) throw new Error(`A batch is rejected: ${status} ${text}`);
  const { id }: { id: number } = JSON.parse(text);
  return id;
}

async function waitForDrivers({ target, namespace, count }: BatchesCall): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=spark-role%3Ddriver`;
  const started = performance.now();
  for (;;) {
    const list: { items: readonly unknown[] } = JSON.parse(await target.fetchText({ method: "GET", path }));
    if (list.items.length >= count) return;
    if (performance.now() - started > driverTimeoutMs) throw new Error("Batches stay without drivers.");
    await setTimeout(100);
  }
}

/** Prints both, and the ratios. */
export function printLivyComparison({ livy, gateway }: LivyComparison): readonly string[] {
  const row = (found: Batches) => [
    ...[found.name, String(found.batches), found.cpuMsPerBatch.toFixed(0), found.mebibytesPerBatch.toFixed(1)],
    ...[found.mebibytes.toFixed(0), found.driverSeconds.toFixed(1), found.statusP99Ms.toFixed(0)],
  ];
  const ratio = (of: (found: Batches) => number) => (of(livy) / of(gateway)).toFixed(1);
  const ratios = [
    ...["Livy / gateway", "", ratio((found) => found.cpuMsPerBatch), ratio((found) => found.mebibytesPerBatch)],
    ...[ratio((found) => found.mebibytes), ratio((found) => found.driverSeconds), ratio((found) => found.statusP99Ms)],
  ];
  const head = [
    "",
    "batches",
    "cpu ms per batch",
    "MiB per batch",
    "MiB in total",
    "drivers after, s",
    "status p99, ms",
  ];
  return numberTable(head, [row(livy), row(gateway), ratios]);
}
