import { readFileSync } from "node:fs";
import { get } from "node:http";
import type { ApiTarget } from "./api-target.ts";
import { fetchGateway, percentile } from "./gateway-load.ts";
import { type GatewayCluster, type GatewayProcess, startGateway } from "./gateway-process.ts";
import { median } from "./measure.ts";

/** Measurements of a gateway that follows many running applications. */
export interface Followed {
  readonly applications: number;
  readonly memoryMiB: number;
  /** Watches of the gateway, as the API counts them; `undefined` if it does not. */
  readonly watches: number | undefined;
  /** From the request that changes a pod to the event at a client. */
  readonly changeMs: { readonly median: number; readonly p99: number };
  /** Medians, by the number of applications of a page. */
  readonly pageMs: Readonly<Record<string, number>>;
  /** From the start of a process to its readiness, after the one before was killed. */
  readonly restartMs: number;
  /** After the restart. */
  readonly restartMemoryMiB: number;
}

interface FollowedCall extends GatewayCluster {
  readonly target: ApiTarget;
  readonly gateway: GatewayProcess;
  /** Number of changes that are measured. */
  readonly changes: number;
}

const concurrency = 16;
const pages = 15;
/** Changes that are not measured: a new client first gets all applications. */
const warmUp = 5;

/** Measures, and kills the gateway. @returns the measurements and the gateway that follows it */
export async function measureFollowed(call: FollowedCall): Promise<{ found: Followed; next: GatewayProcess }> {
  const { target, gateway, namespace, changes } = call;
  const drivers = await driversOf(gateway.url);
  const measured = drivers.slice(0, changes);
  const rest = drivers.slice(changes);
  await target.many(rest.length, concurrency, (index) => startDriver(namespace, rest[index] ?? ""));
  const changeTimes = await measureChanges(call, measured);
  const pageMs = { "100": await pageTime(gateway.url, 100), "1000": await pageTime(gateway.url, 1000) };
  const memoryMiB = memoryOf(gateway.pid);
  const watches = await countWatches(target);
  await gateway.end("SIGKILL");
  const next = await startGateway(call);
  const applications = (await driversOf(next.url)).length;
  if (applications < drivers.length) throw new Error(`${drivers.length - applications} applications are lost.`);
  const found = {
    ...{ applications: drivers.length, memoryMiB, watches, pageMs, restartMs: next.readyMs },
    changeMs: { median: median(changeTimes), p99: percentile(changeTimes, 0.99) },
    restartMemoryMiB: memoryOf(next.pid),
  };
  return { found, next };
}

/** Returns the names of the driver pods of all applications. */
export async function driversOf(url: string): Promise<readonly string[]> {
  const names: string[] = [];
  let after = "";
  for (;;) {
    const { text } = await fetchGateway(url, { method: "GET", path: `/api/v1/applications?limit=1000${after}` });
    const page: { applications: readonly { podName: string }[]; next?: string } = JSON.parse(text);
    names.push(...page.applications.map(({ podName }) => podName));
    if (page.next === undefined) return names;
    after = `&after=${page.next}`;
  }
}

/** Returns the request by which a node reports that a driver runs. */
export function startDriver(namespace: string, name: string) {
  const startedAt = new Date().toISOString().replace(/\.\d+/, "");
  const container = { name: "spark-kubernetes-driver", image: "spark:4.3.0", imageID: "", restartCount: 0 };
  const status = {
    phase: "Running",
    podIP: "10.0.0.1",
    containerStatuses: [{ ...container, ready: true, started: true, state: { running: { startedAt } } }],
  };
  return { method: "PATCH", path: `/api/v1/namespaces/${namespace}/pods/${name}/status`, body: { status } };
}

async function measureChanges({ target, gateway, namespace }: FollowedCall, drivers: readonly string[]) {
  const changes = await openChanges(gateway.url);
  const times: number[] = [];
  for (const name of drivers) {
    const seen = changes.running(name);
    const start = performance.now();
    await target.fetchText(startDriver(namespace, name));
    times.push((await seen) - start);
  }
  changes.close();
  return times.slice(warmUp);
}

/** Follows the changes of all applications, as a browser does. */
function openChanges(url: string): Promise<{ running: (podName: string) => Promise<number>; close: () => void }> {
  const waiting = new Map<string, (atMs: number) => void>();
  return new Promise((resolve, reject) => {
    const request = get(new URL("/api/v1/changes", url), (response) => {
      let rest = "";
      response.setEncoding("utf8");
      response.on("error", () => {});
      response.on("data", (chunk: string) => {
        const atMs = performance.now();
        const events = (rest + chunk).split("\n\n");
        rest = events.pop() ?? "";
        for (const event of waiting.size === 0 ? [] : events) {
          if (!event.includes('"state":"running"')) continue;
          const name = /"podName":"([^"]+)"/.exec(event)?.[1] ?? "";
          waiting.get(name)?.(atMs);
          waiting.delete(name);
        }
      });
      resolve({
        running: (podName) => new Promise((resolveTime) => waiting.set(podName, resolveTime)),
        close: () => request.destroy(),
      });
    });
    request.on("error", reject);
  });
}

async function pageTime(url: string, limit: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < pages; round += 1) {
    const start = performance.now();
    await fetchGateway(url, { method: "GET", path: `/api/v1/applications?limit=${limit}` });
    times.push(performance.now() - start);
  }
  return median(times);
}

/** Counts the watches of pods in one namespace: no other client has any on an idle cluster. */
async function countWatches(target: ApiTarget): Promise<number | undefined> {
  const metrics = await target.fetchText({ method: "GET", path: "/metrics" }).catch(() => "");
  const lines = metrics.split("\n").filter((line) => /^apiserver_longrunning_requests\{.*resource="pods"/.test(line));
  const ofNamespaces = lines.filter((line) => line.includes('scope="namespace"') && line.includes('verb="WATCH"'));
  if (metrics === "" || ofNamespaces.length === 0) return undefined;
  return ofNamespaces.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

/** Reads the present memory (MiB) of a process; NaN without `/proc`. */
export function memoryOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
