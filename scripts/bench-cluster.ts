/**
 * How fast and how large an embedded cluster is: `npm run bench -- cluster [--kubeconfig FILE]`. With a kubeconfig, the cluster that it
 * names does the same work in turn with ours, round after round, so that a busy machine disturbs both alike. It is best one that has
 * nothing else to do: the work goes into a namespace of its own, which is deleted in the end.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type ApiTarget, openTarget } from "./bench/api-target.ts";
import { fillWithPods } from "./bench/many-pods.ts";
import { median, timeOf } from "./bench/measure.ts";

const program = resolve("dist/bin/firesteel.cjs");

/** Requests that are under way at the same time. */
const atOnce = 16;

/** Measures, and prints what it found. */
export async function benchCluster(words: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...words],
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
      fillWithPods(openTarget("ours", kubeconfig), {
        ...{ pid, pods: Number(values.pods), watchers: Number(values.watchers) },
      }),
    );
    process.stdout.write(
      [
        `start: ${median(starts).toFixed(0)} ms (API only), with the command that starts it`,
        ...rates,
        `${values.pods} pods running, ${values.watchers} watchers: ${filled.seconds.toFixed(1)} s, ` +
          `peak ${(filled.peakKiB / 1024).toFixed(0)} MiB, ${(filled.restKiB / 1024).toFixed(0)} MiB at rest, ` +
          `${filled.events} events to watchers, journal ${(filled.journalBytes / 1e6).toFixed(0)} MB`,
        "",
      ].join("\n"),
    );
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

type Env = Readonly<Record<string, string>>;

/** With the user's Spark and Java, so that nothing is fetched; nothing of them runs. */
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

const works = ["create", "get", "update", "list", "delete"] as const;

/** Requests per second of each target, as a table. */
async function compare(
  env: Env,
  kubeconfig: string | undefined,
  amount: { readonly rounds: number; readonly requests: number },
): Promise<readonly string[]> {
  return await withCluster(env, ["--api-only"], async (own) => {
    const others = kubeconfig === undefined ? [] : [openTarget("the other", readFileSync(kubeconfig, "utf8"))];
    const targets = [openTarget("ours", own), ...others];
    const rates = new Map<string, number[]>();
    for (const target of targets) await target.open();
    for (let round = -1; round < amount.rounds; round += 1) {
      for (const work of works) {
        for (const target of targets) {
          const rate = await rateOf(target, work, amount.requests);
          // The first round only warms both up.
          if (round >= 0) rates.set(`${work} ${target.name}`, [...(rates.get(`${work} ${target.name}`) ?? []), rate]);
        }
      }
    }
    for (const target of targets) await target.close();
    const rows = works.map((work) => [
      work === "list" ? `list of ${amount.requests}` : work,
      ...targets.map(({ name }) => median(rates.get(`${work} ${name}`) ?? []).toFixed(0)),
    ]);
    const head = ["requests a second", ...targets.map(({ name }) => name)];
    return [head, head.map((_, column) => (column === 0 ? "---" : "---:")), ...rows].map(
      (row) => `| ${row.join(" | ")} |`,
    );
  });
}

async function rateOf(target: ApiTarget, work: (typeof works)[number], requests: number): Promise<number> {
  // A list is as much work as all objects that it holds.
  const count = work === "list" ? Math.ceil(requests / 25) : requests;
  const start = performance.now();
  await target.many(count, atOnce, (index) => requestFor(work, index));
  return count / ((performance.now() - start) / 1000);
}

function requestFor(work: (typeof works)[number], index: number) {
  const path = `/api/v1/namespaces/firesteel-bench/configmaps`;
  const metadata = { name: `thing-${index}` };
  const data = { "spark.properties": "spark.app.id=spark-0123456789abcdef\n".repeat(40) };
  switch (work) {
    case "create":
      return { method: "POST", path, body: { apiVersion: "v1", kind: "ConfigMap", metadata, data } };
    case "update": {
      const body = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata,
        data: { ...data, at: `${performance.now()}` },
      };
      return { method: "PUT", path: `${path}/thing-${index}`, body };
    }
    case "get":
      return { method: "GET", path: `${path}/thing-${index}` };
    case "list":
      return { method: "GET", path };
    case "delete":
      return { method: "DELETE", path: `${path}/thing-${index}` };
  }
}
