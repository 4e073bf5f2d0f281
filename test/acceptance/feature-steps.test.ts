import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { Pod } from "../../src/kube/types.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call, createNamespace, objectsIn, startApi } from "./embedded-api.ts";
import { type FaultProxy, openFaultProxy } from "./fault-proxy.ts";
import { root, run, temporaryDirectory } from "./programs.ts";

const directory = mkdtempSync(join(tmpdir(), "firesteel-api-"));
const examples = join(root, "examples", "feature-steps");
let cluster: EmbeddedCluster;
let proxy: FaultProxy;

beforeAll(async () => {
  cluster = await startApi(directory);
  proxy = await openFaultProxy(cluster.transport, () => "pass");
});

afterAll(async () => {
  await proxy.close();
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Submits with the steps and additional settings. */
async function submitWith(namespace: string, steps: string, settings: readonly string[], cwd = examples) {
  await createNamespace(cluster, namespace);
  const all = [
    `spark.kubernetes.namespace=${namespace}`,
    "spark.kubernetes.container.image=spark:4.3.0",
    "spark.kubernetes.submission.waitAppCompletion=false",
    `spark.firesteel.featureSteps=${steps}`,
    ...settings,
  ];
  const args = [
    ...["--master", `k8s://${proxy.url}`, "--deploy-mode", "cluster", "--name", "steps"],
    ...all.flatMap((setting) => ["--conf", setting]),
    ...["--class", "org.example.Main", "local:///opt/app/app.jar"],
  ];
  return run("spark-submit", args, { cwd });
}

async function onlyPod(namespace: string): Promise<Pod | undefined> {
  const { items } = await call<{ items: Pod[] }>(cluster, "GET", resourcePath(resourceTypes.pod, namespace));
  return items[0];
}

test("example steps in ESM and CommonJS contribute to a submission", async () => {
  const outcome = await submitWith("taught", "team-step.mjs, ./annotate.cjs", ["spark.example.team=blue"]);
  expect(outcome).toMatchObject({ exit: 0 });
  const pod = await onlyPod("taught");
  expect(pod?.metadata).toMatchObject({
    labels: { team: "blue", "spark-role": "driver" },
    annotations: { "example.com/submitted": "steps with Spark 4.3.0" },
  });
  const [container] = pod?.spec?.containers ?? [];
  expect(container?.env).toContainEqual({ name: "TEAM", value: "blue" });
  expect(container?.volumeMounts).toContainEqual({ name: "team-cache", mountPath: "/cache" });
  expect(pod?.spec?.tolerations).toContainEqual({
    key: "kept-for",
    operator: "Equal",
    value: "spark",
    effect: "NoSchedule",
  });
  const maps = (await objectsIn(cluster, "taught")).filter(({ kind }) => kind === "ConfigMap");
  const owners = maps.map(({ metadata }) => metadata.ownerReferences?.map(({ kind }) => kind));
  expect(owners).toEqual([["Pod"], ["Pod"]]);
  expect(JSON.stringify(maps)).toContain("spark.kubernetes.executor.label.team=blue");
  expect(JSON.stringify(maps)).not.toContain("spark.firesteel");
});

test("a failing step and a missing step leave no objects", async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "late.mjs"), "await undefined;\nexport const step = async () => ({});\n");
  const outcomes = [
    await submitWith("unset", "team-step.mjs", []),
    await submitWith("missing", "nope.mjs,./annotate.cjs", []),
    await submitWith("late", "./late.mjs", [], directory),
  ];
  expect(outcomes.map(({ exit }) => exit)).toEqual([1, 1, 1]);
  const programOutput = outcomes.map(({ stderr }) => stderr);
  expect(programOutput[0]).toContain("The feature step team-step failed in contribute: spark.example.team is not set");
  expect(programOutput[1]).toContain("Cannot load the module nope.mjs of spark.firesteel.featureSteps: ");
  expect(programOutput[2]).toContain("it is a promise, not an object with contributions");
  for (const namespace of ["unset", "missing", "late"]) expect(await objectsIn(cluster, namespace)).toEqual([]);
});
