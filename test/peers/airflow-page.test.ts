import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { temporaryDirectory, withSpark } from "../acceptance/programs.ts";
import { accountCredentials, printKubeconfig } from "../account-credentials.ts";
import type { ContractClient } from "../contract/contract-client.ts";
import { mergedOutput } from "../merged-output.ts";
import { pageBlocks } from "../page-blocks.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { airflowEnv, airflowPrograms, installAirflow } from "./install-airflow.ts";
import { installWheel } from "./install-wheel.ts";

const page = "docs/airflow.md";
const [dag = ""] = pageBlocks(page, "python");
const [connection = ""] = pageBlocks(page, "json");
const cluster = sparkCluster();
const worker = { namespace: "airflow", name: "worker" };

beforeAll(installAirflow, 900_000);

/** Creates the namespace as the page does, and the service account of the workers. Returns its kubeconfig. */
async function prepareAccount(api: ContractClient): Promise<string> {
  const metadata = { name: worker.name };
  await api.call("POST", "/api/v1/namespaces", { metadata: { name: worker.namespace } });
  await api.call("POST", `/api/v1/namespaces/${worker.namespace}/serviceaccounts`, { metadata });
  const submitter = ["--submitter", "serviceaccount:airflow:worker"];
  expect(await cluster.firesteel("setup", "namespace", "jobs", ...submitter)).toMatchObject({ exit: 0 });
  const kubeconfig = printKubeconfig(cluster.url(), await accountCredentials(api, worker));
  return cluster.file("worker.kubeconfig", kubeconfig);
}

/** Installs the page's DAG and connection for an Airflow with its own home directory. */
function prepareAirflow(kubeconfig: string): Record<string, string> {
  const home = temporaryDirectory();
  const dags = join(home, "airflow", "dags");
  mkdirSync(dags, { recursive: true });
  writeFileSync(join(dags, "daily_pi.py"), dag.replace("timedelta(minutes=1)", "timedelta(seconds=1)"));
  const { protocol, hostname, port } = new URL(cluster.url());
  const reachable = { ...parse<object>(connection), host: `k8s://${protocol}//${hostname}`, port: Number(port) };
  return {
    ...withSpark({ HOME: home, KUBECONFIG: kubeconfig }),
    ...airflowEnv(join(home, "airflow"), kubeconfig),
    PATH: [installWheel(join(home, "programs")), process.env["PATH"]].join(":"),
    AIRFLOW_CONN_SPARK_JOBS: JSON.stringify(reachable),
  };
}

function parse<T>(text: string): T {
  return JSON.parse(text);
}

/** Starts a command of Airflow. */
function airflow(env: Record<string, string>, ...args: readonly string[]) {
  const child = spawn(join(airflowPrograms, "airflow"), args, {
    ...{ env, cwd: env["HOME"] },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return mergedOutput(child);
}

/** Kills the processes of `spark-submit` that the DAG started. */
function killSubmission(): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const args = readIfThere(join("/proc", pid, "cmdline")).split("\0");
    if (args.some((arg) => arg.startsWith("spark.firesteel.submissionToken=daily_pi/"))) process.kill(Number(pid), 9);
  }
}

/** Reads a file; returns an empty text if its process has ended meanwhile. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

async function drivers(api: ContractClient): Promise<readonly (string | undefined)[]> {
  const { body } = await api.call("GET", "/api/v1/namespaces/jobs/pods?labelSelector=spark-role%3Ddriver");
  return body.items.map(({ metadata }) => metadata.name);
}

test("a retry of the documented DAG adopts the driver of a submission that was killed", async () => {
  const api = await cluster.api();
  const env = prepareAirflow(await prepareAccount(api));
  const migrated = await airflow(env, "db", "migrate").ended;
  expect(migrated.exit, migrated.output).toBe(0);
  const run = airflow(env, "dags", "test", "daily_pi", "2026-11-28");
  const isSubmitted = () => run.output().includes("Identified spark application id");
  await expect.poll(isSubmitted, { timeout: 300_000, interval: 500 }).toBe(true);
  killSubmission();
  const { exit, output } = await run.ended;
  expect(output).toMatch(/Cannot execute: .*Error code is: -9/);
  expect(output).toMatch(/adopting jobs:pi-[0-9a-f]+-driver/);
  expect(output).toContain("Pi is roughly 3.1");
  expect(output).toContain("state=success");
  expect(exit).toBe(0);
  expect(await drivers(api)).toHaveLength(1);
});
