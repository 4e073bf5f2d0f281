/**
 * Records faults of Spark applications on a cluster: each scenario of `test/golden/fault-scenarios` becomes a record in
 * `test/golden/recorded/fault-scenarios`. Needs an administrator's kubeconfig, and images `spark:VERSION` with Python on the nodes.
 */

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { diagnose } from "../src/diagnosis/diagnose.ts";
import { readRecord } from "../src/diagnosis/record.ts";
import type { ApiRequest } from "../src/kube/transport.ts";
import { isForTesting, scenarioRecords } from "../test/golden/recorded-fault.ts";
import { buildRecord } from "./record-faults/build-record.ts";
import { createNamespace, openCluster, runCommand, startResponder } from "./record-faults/cluster.ts";
import { readObjects, readProperties } from "./record-faults/read-objects.ts";
import { type Recording, startRecording } from "./record-faults/recording.ts";
import { readScenarios, type Scenario, type Step } from "./record-faults/scenario.ts";
import { submit } from "./record-faults/submission.ts";
import { exitWithUsage } from "./write-pages.ts";

const usage = `usage: npm run record:faults -- --kubeconfig FILE [--cluster real|embedded] [--jobs N] [--only ID,…] [--stop-node COMMAND --start-node COMMAND]`;

const { values } = parseArgs({
  options: {
    kubeconfig: { type: "string" },
    cluster: { type: "string", default: "real" },
    jobs: { type: "string", default: "2" },
    only: { type: "string" },
    "stop-node": { type: "string" },
    "start-node": { type: "string" },
  },
});
if (values.kubeconfig === undefined) exitWithUsage("Name the cluster with --kubeconfig FILE.", usage);

/** Longest wait for a step, and for the end of a driver (ms). */
const maxWaitMs = 300_000;
const policyMs = 5_000;
/** Time for the last events and for executors that the driver deletes at its end (ms). */
const settleMs = 2_500;

const cluster = await openCluster(values.kubeconfig);
mkdirSync(scenarioRecords, { recursive: true });
const only = values.only?.split(",");
const chosen = readScenarios().filter((one) => only?.includes(one.id) ?? one.cluster === values.cluster);
await recordAll(
  chosen.filter(({ alone }) => !alone),
  Number(values.jobs),
);
await recordAll(
  chosen.filter(({ alone }) => alone),
  1,
);
await cluster.close();

async function recordAll(scenarios: readonly Scenario[], jobs: number): Promise<void> {
  const waiting = [...scenarios];
  const work = async () => {
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
      try {
        await record(scenario);
      } catch (error) {
        console.error(`${scenario.id}: ${error instanceof Error ? error.message : String(error)}`);
        process.exitCode = 1;
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

async function record(scenario: Scenario): Promise<void> {
  const namespace = `reporting-${randomBytes(2).toString("hex")}`;
  await createNamespace(cluster, namespace);
  const fill = (text: string) => text.replaceAll("{namespace}", namespace).replaceAll("{node}", cluster.nodeName);
  for (const { path, object } of scenario.objects)
    await cluster.create(fill(path), JSON.parse(fill(JSON.stringify(object))));
  // The API server applies new policies and webhooks after a moment.
  if (scenario.objects.some(({ path }) => path.includes("admissionregistration"))) await setTimeout(policyMs);
  const send = async (calls: Scenario["before"]) => {
    for (const { method, path, body } of calls) {
      const filled: unknown = body === undefined ? undefined : JSON.parse(fill(JSON.stringify(body)));
      await cluster.call(methodOf(method), fill(path), filled);
    }
  };
  await send(scenario.before);
  const stopResponder = scenario.responses && startResponder(scenario.responses);
  const startedAt = Date.now();
  const recording = startRecording(cluster, namespace, startedAt);
  try {
    const rejection = await submit({ cluster, scenario, namespace, startedAt });
    for (const step of scenario.steps) await runStep(scenario, recording, step, fill);
    if (rejection === undefined && !(await recording.wait(scenario.until, maxWaitMs)))
      console.error(`${scenario.id}: the end did not come`);
    await setTimeout(settleMs);
    const objects = await readObjects(cluster, namespace);
    const properties = await readProperties(cluster, namespace);
    const live = await liveDiagnosis(recording, namespace);
    recording.stop();
    const endMs = Date.now() - startedAt;
    const seen = { scenario, recording, startedAt, endMs, kubernetes: cluster.version, properties, objects, rejection };
    const text = JSON.stringify(buildRecord(seen));
    writeFileSync(join(scenarioRecords, `${scenario.id}.json`), `${text}\n`);
    report(scenario, text, live);
  } finally {
    recording.stop();
    stopResponder?.();
    await send(scenario.after);
    await cluster.call("DELETE", `/api/v1/namespaces/${namespace}`);
    for (const { path, object } of scenario.objects) {
      const name: unknown = new Map(Object.entries(Object(object["metadata"]))).get("name");
      if (!path.includes("{namespace}")) await cluster.call("DELETE", `${path}/${String(name)}`);
    }
  }
}

async function runStep(
  { id }: Scenario,
  recording: Recording,
  { when, call, node }: Step,
  fill: (text: string) => string,
): Promise<void> {
  if (!(await recording.wait(when, maxWaitMs)))
    console.error(`${id}: the condition ${JSON.stringify(when)} did not hold`);
  const [executor] = recording.executors().filter(({ status }) => status?.phase === "Running");
  const names = { driver: recording.driver()?.metadata?.name ?? "", executor: executor?.metadata?.name ?? "" };
  const filled = (text: string) =>
    fill(text).replaceAll("{driver}", names.driver).replaceAll("{executor}", names.executor);
  if (call !== undefined) {
    const body: unknown = call.body === undefined ? undefined : JSON.parse(filled(JSON.stringify(call.body)));
    const response = await cluster.call(methodOf(call.method), filled(call.path), body);
    if (response.status >= 300) console.error(`${id}: ${call.method} ${filled(call.path)}: ${response.text}`);
  }
  const command = node === undefined ? undefined : values[`${node}-node`];
  if (command !== undefined) runCommand(command);
}

function methodOf(text: string): ApiRequest["method"] {
  const known = (["GET", "POST", "PUT", "PATCH", "DELETE"] as const).find((method) => method === text);
  if (known === undefined) throw new Error(`${text} is not a method of a step`);
  return known;
}

/** Runs `firesteel diagnose` on the application in the cluster. Returns its output; undefined without a driver. */
async function liveDiagnosis(recording: Recording, namespace: string): Promise<string | undefined> {
  const name = recording.driver()?.metadata?.name;
  if (name === undefined) return undefined;
  const args = [join("dist", "bin", "firesteel.cjs"), "diagnose", "--json", `${namespace}:${name}`];
  const env = { ...process.env, KUBECONFIG: values.kubeconfig ?? "" };
  try {
    return (await promisify(execFile)(process.execPath, args, { encoding: "utf8", env })).stdout;
  } catch {
    // A driver that does not exist any more has no live diagnosis.
    return undefined;
  }
}

/** Prints whether the record and the cluster give the same diagnosis; of scenarios for testing, not which. */
function report({ id, cause }: Scenario, text: string, live: string | undefined): void {
  const run = readRecord(text, id);
  const found = run.ok ? (diagnose(run.value.at(run.value.endMs))?.cause ?? "none") : "unreadable";
  const liveCause = live === undefined ? found : (/"cause": ?"([^"]+)"/.exec(live)?.[1] ?? live);
  const size = `${Math.round(text.length / 1000)} kB`;
  const shown = isForTesting(id) ? "for testing" : `${found === cause ? "ok" : `${found}, not ${cause}`}`;
  console.log(
    `${id}: ${size}, ${shown}, ${liveCause === found ? "live the same" : `live another${isForTesting(id) ? "" : `: ${liveCause}`}`}`,
  );
}
