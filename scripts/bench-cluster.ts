/**
 * Measures the speed and memory of an embedded cluster: `npm run bench -- cluster [--kubeconfig FILE]`. With a kubeconfig, its cluster and
 * the embedded one do the same requests in alternating rounds, so that a busy machine slows both. Use an idle cluster; the requests go to
 * the namespace firesteel-bench, which is deleted at the end.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type ApiTarget, openTarget } from "./bench/api-target.ts";
import { fillWithPods } from "./bench/many-pods.ts";
import { median, numberTable, timeOf } from "./bench/measure.ts";

const program = resolve("dist/bin/firesteel.cjs");

/** Number of concurrent requests. */
const concurrency = 16;

/** Measures, and prints the results. */
export async function benchCluster(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "7" },
      requests: { type: "string", default: "500" },
      pods: { type: "string", default: "10000" },
      watchers: { type: "string", default: "200" },
      kubeconfig: { type: "string" },
    },
  });
  const state = mkdtempSync(join(tmpdir(), "firesteel-bench-"));
  const env = environment(state);
  try {
    const starts = await startTimes(env, Number(values.rounds));
    const rates = await compare(env, values.kubeconfig, {
      rounds: Number(values.rounds),
      requests: Number(values.requests),
    });
    const filled = await withCluster(env, ["--sandbox", "fake"], (kubeconfig, pid) =>
      fillWithPods(openTarget("embedded", kubeconfig), {
        ...{ pid, pods: Number(values.pods), watchers: Number(values.watchers) },
      }),
    );
    process.stdout.write(
      [
        `start: ${median(starts).toFixed(0)} ms (API only), with the command that starts it`,
        ...rates,
        `${values.pods} pods running, ${values.watchers} watchers: ${filled.seconds.toFixed(1)} s, ` +
          `peak ${(filled.peakKiB / 1024).toFixed(0)} MiB, ${(filled.idleKiB / 1024).toFixed(0)} MiB when idle, ` +
          `${filled.events} events to watchers, journal ${(filled.journalBytes / 1e6).toFixed(0)} MB`,
        "",
      ].join("\n"),
    );
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

type Env = Readonly<Record<string, string>>;

/** Keeps the user's Spark and Java, so that the cluster downloads none; neither runs. */
function environment(state: string): Env {
  const { PATH = "", SPARK_HOME, JAVA_HOME, XDG_CACHE_HOME = join(homedir(), ".cache") } = process.env;
  return {
    ...(SPARK_HOME === undefined ? {} : { SPARK_HOME }),
    ...(JAVA_HOME === undefined ? {} : { JAVA_HOME }),
    ...{ PATH, XDG_CACHE_HOME, HOME: state, FIRESTEEL_STATE: state },
  };
}

function cluster(env: Env, ...args: readonly string[]): Promise<number> {
  const file = process.execPath;
  return timeOf({ file, args: ["--use-openssl-ca", program, "cluster", ...args], env, exit: 0 });
}

async function startTimes(env: Env, rounds: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    times.push(await cluster(env, "start", "--api-only"));
    await cluster(env, "delete");
  }
  return times;
}

async function withCluster<T>(
  env: Env,
  options: readonly string[],
  use: (kubeconfig: string, pid: number) => Promise<T>,
): Promise<T> {
  await cluster(env, "start", ...options);
  const directory = join(env["FIRESTEEL_STATE"] ?? "", "clusters", "default");
  const record: { pid: number } = JSON.parse(readFileSync(join(directory, "cluster.json"), "utf8"));
  try {
    return await use(readFileSync(join(directory, "kubeconfig"), "utf8"), record.pid);
  } finally {
    await cluster(env, "delete");
  }
}

const operations = ["create", "get", "update", "list", "delete"] as const;

/** Measures the requests per second of each target. @returns the lines of a table */
async function compare(
  env: Env,
  kubeconfig: string | undefined,
  amount: { readonly rounds: number; readonly requests: number },
): Promise<readonly string[]> {
  return await withCluster(env, ["--api-only"], async (own) => {
    const others = kubeconfig === undefined ? [] : [openTarget("other", readFileSync(kubeconfig, "utf8"))];
    const targets = [openTarget("embedded", own), ...others];
    const rates = new Map<string, number[]>();
    for (const target of targets) await target.open();
    for (let round = -1; round < amount.rounds; round += 1) {
      for (const operation of operations) {
        for (const target of targets) {
          const rate = await rateOf(target, operation, amount.requests);
          // Discard the first round: it warms up both.
          if (round >= 0)
            rates.set(`${operation} ${target.name}`, [...(rates.get(`${operation} ${target.name}`) ?? []), rate]);
        }
      }
    }
    for (const target of targets) await target.close();
    const rows = operations.map((operation) => [
      operation === "list" ? `list of ${amount.requests}` : operation,
      ...targets.map(({ name }) => median(rates.get(`${operation} ${name}`) ?? []).toFixed(0)),
    ]);
    return numberTable(["requests per second", ...targets.map(({ name }) => name)], rows);
  });
}

async function rateOf(target: ApiTarget, operation: (typeof operations)[number], requests: number): Promise<number> {
  // A list costs as much as all objects in it.
  const count = operation === "list" ? Math.ceil(requests / 25) : requests;
  const start = performance.now();
  await target.many(count, concurrency, (index) => requestFor(operation, index));
  return count / ((performance.now() - start) / 1000);
}

function requestFor(operation: (typeof operations)[number], index: number) {
  const path = "/api/v1/namespaces/firesteel-bench/configmaps";
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `map-${index}` } };
  const data = { "spark.properties": "spark.app.id=spark-0123456789abcdef\n".repeat(40) };
  switch (operation) {
    case "create":
      return { method: "POST", path, body: { ...configMap, data } };
    case "update": {
      const changed = { ...data, changedAt: `${performance.now()}` };
      return { method: "PUT", path: `${path}/map-${index}`, body: { ...configMap, data: changed } };
    }
    case "get":
      return { method: "GET", path: `${path}/map-${index}` };
    case "list":
      return { method: "GET", path };
    case "delete":
      return { method: "DELETE", path: `${path}/map-${index}` };
  }
}
