/**
 * Measures a gateway: `npm run bench -- gateway [--rate 100] [--seconds 60] [--burst 6000] [--followed 10000] [--store] [--json]`. With
 * KUBECONFIG, in a namespace of that cluster, whose pods nothing should run; otherwise on an embedded API. With `--store`, the records are in a
 * database. Client, gateway and a local API share this machine.
 *
 * `--livy DIR --spark DIR [--livy-batches 5]` measures a Livy server with Spark's client first, and a gateway with the same batches.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { ApiTarget } from "./bench/api-target.ts";
import { type ApiUsage, readApiUsage } from "./bench/api-usage.ts";
import { measureBareObjects } from "./bench/bare-objects.ts";
import { withApi } from "./bench/bench-api.ts";
import { type Followed, measureFollowed } from "./bench/followed-applications.ts";
import {
  atRate,
  countApplications,
  type Load,
  percentile,
  submitApplication,
  waitForDrivers,
} from "./bench/gateway-load.ts";
import { type GatewayCluster, type GatewayProcess, startGateway } from "./bench/gateway-process.ts";
import { compareWithLivy, type LivyComparison, printLivyComparison } from "./bench/livy-comparison.ts";
import { cpuOf, describeMachine, median, numberTable, peakOf } from "./bench/measure.ts";

interface Amounts {
  readonly rate: number;
  readonly seconds: number;
  readonly burst: number;
  readonly burstSeconds: number;
  readonly followed: number;
  readonly changes: number;
}

/** Measures, and prints the results. */
export async function benchGateway(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rate: { type: "string", default: "100" },
      seconds: { type: "string", default: "60" },
      burst: { type: "string", default: "6000" },
      "burst-seconds": { type: "string", default: "5" },
      followed: { type: "string", default: "10000" },
      changes: { type: "string", default: "200" },
      livy: { type: "string" },
      spark: { type: "string", default: process.env["SPARK_HOME"] ?? "" },
      "livy-batches": { type: "string", default: "5" },
      store: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const amounts = {
    ...{ rate: Number(values.rate), seconds: Number(values.seconds), burst: Number(values.burst) },
    ...{ burstSeconds: Number(values["burst-seconds"]), followed: Number(values.followed) },
    changes: Number(values.changes),
  };
  const { livy, spark } = values;
  if (livy !== undefined && spark === "")
    throw new Error("--livy needs --spark DIR or SPARK_HOME: Livy starts Spark's client.");
  const report = await withApi(async (cluster, target) => {
    const options = values.store ? ["--store", join(cluster.home, "store")] : [];
    return {
      livyComparison:
        livy === undefined
          ? undefined
          : await compareWithLivy(cluster, { livy, spark }, Number(values["livy-batches"])),
      ...(await measure({ ...cluster, options }, target, amounts)),
    };
  });
  process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : print(report));
}

/** Measurements of submissions at a constant rate. */
interface Submissions {
  readonly applications: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly repeated: number;
  readonly lost: number;
  /** Drivers that were created in a second, until all existed. */
  readonly driversPerSecond: number;
  readonly cpuMsPerApplication: number;
  /** Use of the API for an application; `undefined` if it has no metrics. */
  readonly api: ApiUsage | undefined;
  readonly peakMiB: number;
}

interface Report {
  readonly machine: string;
  /** Absent without an installation of Livy. */
  readonly livyComparison?: LivyComparison | undefined;
  /** Creation of one Secret by the bare API at the same rate: the least that storing an application takes. */
  readonly bare: Pick<Submissions, "p50Ms" | "p99Ms">;
  /** Applications in a second whose objects the bare API creates. */
  readonly bareDriversPerSecond: number;
  readonly steady: Submissions;
  /** Median of the times for an application, compared with the bare request. */
  readonly steadyRatio: number;
  readonly burst: Submissions;
  readonly followed: Followed;
  /** Drivers in the cluster less applications of the gateway. */
  readonly difference: number;
}

async function measure(cluster: GatewayCluster, target: ApiTarget, amounts: Amounts): Promise<Report> {
  const { rate, seconds, burst, burstSeconds, followed, changes } = amounts;
  const bare = await measureBare(cluster, target, rate);
  const bareDriversPerSecond = await measureBareObjects(cluster, target);
  let gateway = await startGateway(cluster);
  try {
    const call = { gateway, target };
    const steady = await submitMany(call, { name: "steady", count: rate * seconds, perSecond: rate });
    const inBurst = await submitMany(call, { name: "burst", count: burst, perSecond: burst / burstSeconds });
    const more = Math.max(0, followed - (await countApplications(gateway.url)));
    if (more > 0) await submitMany(call, { name: "more", count: more, perSecond: rate });
    const { found, next } = await measureFollowed({ ...cluster, target, gateway, changes });
    gateway = next;
    const drivers = await countDrivers(cluster, target);
    return {
      ...{ machine: describeMachine(), bare, bareDriversPerSecond, steady, burst: inBurst, followed: found },
      ...{ steadyRatio: steady.p50Ms / bare.p50Ms, difference: drivers - found.applications },
    };
  } finally {
    await gateway.end("SIGKILL");
  }
}

async function measureBare(
  { namespace }: GatewayCluster,
  target: ApiTarget,
  rate: number,
): Promise<Pick<Submissions, "p50Ms" | "p99Ms">> {
  const data = { "application.json": Buffer.alloc(1000, "a").toString("base64") };
  const { timesMs } = await atRate({ count: rate * 5, perSecond: rate }, async (index) => {
    const body = { apiVersion: "v1", kind: "Secret", metadata: { name: `bare-${index}` }, data };
    await target.fetchText({ method: "POST", path: `/api/v1/namespaces/${namespace}/secrets`, body });
    return 1;
  });
  return { p50Ms: median(timesMs), p99Ms: percentile(timesMs, 0.99) };
}

async function submitMany(
  { gateway: { url, pid }, target }: { readonly gateway: GatewayProcess; readonly target: ApiTarget },
  { name, count, perSecond }: { readonly name: string; readonly count: number; readonly perSecond: number },
): Promise<Submissions> {
  const [apiBefore, cpuBefore, started] = [await readApiUsage(target), cpuOf(pid), performance.now()];
  const load: Load = await atRate({ count, perSecond }, (index) => submitApplication(url, `${name}-${index}`));
  await waitForDrivers(url);
  const apiAfter = await readApiUsage(target);
  return {
    ...{ applications: count, perSecond: count / load.seconds, repeated: load.repeated, lost: load.lost },
    ...{ p50Ms: median(load.timesMs), p99Ms: percentile(load.timesMs, 0.99) },
    driversPerSecond: count / ((performance.now() - started) / 1000),
    cpuMsPerApplication: (cpuOf(pid) - cpuBefore) / count,
    api: apiBefore && apiAfter && usagePerApplication(apiBefore, apiAfter, count),
    peakMiB: peakOf(pid) / 1024,
  };
}

function usagePerApplication(before: ApiUsage, after: ApiUsage, count: number): ApiUsage {
  return { cpuMs: (after.cpuMs - before.cpuMs) / count, writes: (after.writes - before.writes) / count };
}

async function countDrivers({ namespace }: GatewayCluster, target: ApiTarget): Promise<number> {
  const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=spark-role%3Ddriver`;
  const list: { items: readonly unknown[] } = JSON.parse(await target.fetchText({ method: "GET", path }));
  return list.items.length;
}

function print(report: Report): string {
  const { machine, livyComparison, bare, bareDriversPerSecond, steady, steadyRatio, burst, followed, difference } =
    report;
  const row = (name: string, found: Submissions) => [
    `${found.applications} ${name}`,
    ...[found.perSecond.toFixed(0), found.driversPerSecond.toFixed(0)],
    ...[found.p50Ms.toFixed(1), found.p99Ms.toFixed(1), found.cpuMsPerApplication.toFixed(1)],
    ...[found.api?.cpuMs.toFixed(1) ?? "?", found.api?.writes.toFixed(1) ?? "?"],
    ...[String(found.repeated), String(found.lost), found.peakMiB.toFixed(0)],
  ];
  const accepted = ["accepted/s", "drivers/s", "p50 ms", "p99 ms", "cpu ms", "API cpu ms", "writes"];
  const faults = ["repeated", "lost", "peak MiB"];
  const { changeMs, pageMs } = followed;
  return [
    machine,
    "",
    ...numberTable(
      ["applications", ...accepted, ...faults],
      [row("at a constant rate", steady), row("in a burst", burst)],
    ),
    "",
    `a Secret from the bare API at the same rate: p50 ${bare.p50Ms.toFixed(1)} ms, p99 ${bare.p99Ms.toFixed(1)} ms; an application takes ${steadyRatio.toFixed(1)} × p50`,
    `objects of drivers from the bare API, without a gateway: ${bareDriversPerSecond.toFixed(0)} applications/s`,
    `${followed.applications} running applications: ${followed.memoryMiB.toFixed(0)} MiB, ${followed.watches ?? "?"} watches`,
    `change at a client: median ${changeMs.median.toFixed(0)} ms, p99 ${changeMs.p99.toFixed(0)} ms`,
    ...Object.entries(pageMs).map(([limit, ms]) => `page of ${limit}: ${ms.toFixed(0)} ms`),
    `ready ${(followed.restartMs / 1000).toFixed(1)} s after kill -9, with ${followed.restartMemoryMiB.toFixed(0)} MiB`,
    `drivers less applications: ${difference}`,
    "",
    ...(livyComparison === undefined
      ? ["Without --livy DIR, no Livy server was measured."]
      : printLivyComparison(livyComparison)),
    "",
  ].join("\n");
}
