/**
 * Runs a gateway for a long time with faults, and prints its memory: `npm run bench -- gateway-soak [--minutes 60] [--rate 2]`. Applications
 * are submitted at a constant rate to an embedded API; their drivers run for 20 s. Every 20 s there is another fault: responses 429, 500 and
 * 410, cut and silent connections, an API that is away for 10 s; some drivers are deleted. The gateway is killed every `--kill-minutes`.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type ApiTarget, openTarget } from "./bench/api-target.ts";
import { memoryOf, startDriver } from "./bench/followed-applications.ts";
import { countApplications, fetchGateway } from "./bench/gateway-load.ts";
import { type GatewayCluster, type GatewayProcess, startGateway } from "./bench/gateway-process.ts";
import { describeMachine, numberTable, timeOf } from "./bench/measure.ts";

interface Soak {
  readonly cluster: GatewayCluster;
  readonly target: ApiTarget;
  /** Runs `firesteel cluster`. */
  readonly control: (...args: readonly string[]) => Promise<unknown>;
  readonly totals: { acknowledged: number; repeated: number; ended: number; open: number };
  readonly failures: string[];
  gateway: GatewayProcess;
  isDone: boolean;
}

const namespace = "soak";
const faultIntervalMs = 20_000;
const runMs = 10_000;
/** Time in which an acknowledged application must get its driver. */
const driverTimeoutMs = 300_000;

/** Runs the soak, and prints one row a minute. */
export async function soakGateway(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "60" },
      rate: { type: "string", default: "2" },
      "kill-minutes": { type: "string", default: "15" },
    },
  });
  const home = mkdtempSync(join(tmpdir(), "firesteel-soak-"));
  const { PATH = "", XDG_CACHE_HOME = join(homedir(), ".cache") } = process.env;
  const env = { PATH, XDG_CACHE_HOME, HOME: home, FIRESTEEL_STATE: home };
  const control = (...rest: readonly string[]) => {
    const all = ["--use-openssl-ca", resolve("dist/bin/firesteel.cjs"), "cluster", ...rest];
    return timeOf({ file: process.execPath, args: all, env, exit: 0 });
  };
  await control("start", "--api-only");
  try {
    const kubeconfig = join(home, "clusters", "default", "kubeconfig");
    const target = openTarget("api", readFileSync(kubeconfig, "utf8"));
    await target.fetchText({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
    const cluster = { kubeconfig, namespace, home, options: ["--keep", "60s"] };
    const totals = { acknowledged: 0, repeated: 0, ended: 0, open: 0 };
    const gateway = await startGateway(cluster);
    const soak: Soak = { cluster, target, control, totals, failures: [], gateway, isDone: false };
    await run(soak, Number(values.minutes), { rate: Number(values.rate), killMinutes: Number(values["kill-minutes"]) });
  } finally {
    await control("delete");
    rmSync(home, { recursive: true, force: true });
  }
}

async function run(soak: Soak, minutes: number, { rate, killMinutes }: { rate: number; killMinutes: number }) {
  const rows: (readonly string[])[] = [];
  const faults = injectFaults(soak);
  const submissions = submitAll(soak, rate);
  process.stdout.write(`${describeMachine()}\n`);
  for (let minute = 1; minute <= minutes; minute += 1) {
    await setTimeout(60_000);
    const { totals, gateway } = soak;
    const row = [minute, gateway.pid, Math.round(memoryOf(gateway.pid)), ...Object.values(totals)].map(String);
    rows.push(row);
    process.stdout.write(`${row.join(" ")}\n`);
    if (minute % killMinutes === 0 && minute < minutes) {
      await gateway.end("SIGKILL");
      soak.gateway = await startGateway(soak.cluster);
    }
  }
  soak.isDone = true;
  await faults;
  await soak.control("chaos", "clear");
  await submissions;
  const left = await countApplications(soak.gateway.url, ["queued", "submitting", "pending", "running"]);
  await soak.gateway.end("SIGTERM");
  const head = ["minute", "process", "memory MiB", "acknowledged", "repeated requests", "ended", "open"];
  process.stdout.write(`${numberTable(head, rows).join("\n")}\n`);
  process.stdout.write(`Not ended: ${left}. Lost: ${soak.failures.length}.\n${soak.failures.join("\n")}\n`);
}

async function submitAll(soak: Soak, rate: number): Promise<void> {
  const running = new Set<Promise<void>>();
  for (let index = 0; !soak.isDone; index += 1) {
    const application = runApplication(soak, `soak-${index}`)
      .catch((error: unknown) => void soak.failures.push(`soak-${index}: ${String(error)}`))
      .finally(() => running.delete(application));
    running.add(application);
    await setTimeout(1000 / rate);
  }
  await Promise.all(running);
}

/** Submits an application, and acts as its node: the driver runs, and ends or is deleted. */
async function runApplication(soak: Soak, name: string): Promise<void> {
  const { target, totals } = soak;
  totals.open += 1;
  const pod = await submit(soak, name);
  totals.acknowledged += 1;
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}`;
  await untilDone(name, () => target.fetchText({ method: "GET", path }));
  await untilDone(name, () => target.fetchText(startDriver(namespace, pod)));
  await setTimeout(runMs);
  const isDeleted = Math.random() < 0.2;
  if (!isDeleted) await untilDone(name, () => target.fetchText(endDriver(pod)));
  await setTimeout(isDeleted ? 0 : runMs);
  await untilDone(name, () =>
    target.fetchText({ method: "DELETE", path: `${path}?gracePeriodSeconds=0` }).catch((error: unknown) => {
      if (!String(error).includes("404")) throw error;
      return "";
    }),
  );
  totals.ended += 1;
  totals.open -= 1;
}

/** Returns the request by which a node reports that a driver has succeeded. */
function endDriver(name: string) {
  const time = new Date().toISOString().replace(/\.\d+/, "");
  const container = { name: "spark-kubernetes-driver", image: "spark:4.3.0", imageID: "", restartCount: 0 };
  const terminated = { exitCode: 0, startedAt: time, finishedAt: time };
  const status = { phase: "Succeeded", containerStatuses: [{ ...container, ready: false, state: { terminated } }] };
  return { method: "PATCH", path: `/api/v1/namespaces/${namespace}/pods/${name}/status`, body: { status } };
}

async function submit(soak: Soak, name: string): Promise<string> {
  const body = { name, app: "local:///opt/app/app.jar", class: "org.example.Main" };
  const call = { method: "POST", path: "/api/v1/applications", body, headers: { "idempotency-key": name } };
  for (;;) {
    const { status, text } = await fetchGateway(soak.gateway.url, call);
    if (status === 201 || status === 200) return JSON.parse(text).podName;
    if (status !== 0 && status !== 429 && status < 500) throw new Error(`The gateway rejects it: ${text}`);
    soak.totals.repeated += 1;
    await setTimeout(500);
  }
}

/** Repeats what a fault can prevent. @throws the last error after 5 minutes */
async function untilDone(name: string, act: () => Promise<string>): Promise<void> {
  const started = performance.now();
  for (;;) {
    try {
      await act();
      return;
    } catch (error) {
      if (performance.now() - started > driverTimeoutMs) throw new Error(`${name}: ${String(error)}`);
      await setTimeout(500);
    }
  }
}

const faults: readonly (readonly string[])[] = [
  ["chaos", "add", "429", "--probability", "0.3", "--retry-after", "1", "--for", "5s"],
  ["chaos", "add", "410", "--verb", "watch", "--times", "4", "--for", "10s"],
  ["chaos", "add", "drop", "--opened", "--delay", "100ms", "--for", "5s"],
  ["chaos", "add", "500", "--probability", "0.3", "--for", "5s"],
  ["chaos", "add", "500", "--done", "--verb", "create", "--probability", "0.3", "--for", "5s"],
  ["chaos", "add", "silence", "--probability", "0.2", "--for", "5s"],
  // As an API that restarts: a stopped cluster could come back at another address, if another one takes its own meanwhile.
  ["chaos", "add", "drop", "--opened", "--for", "10s"],
];

async function injectFaults(soak: Soak): Promise<void> {
  for (let index = 0; !soak.isDone; index += 1) {
    await setTimeout(faultIntervalMs);
    await soak.control(...(faults[index % faults.length] ?? []));
  }
}
