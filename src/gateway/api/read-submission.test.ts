import { expect, test } from "vitest";
import { readSubmission } from "./read-submission.ts";

const sparkApplication = {
  apiVersion: "sparkoperator.k8s.io/v1beta2",
  kind: "SparkApplication",
  metadata: { name: "pi" },
  spec: {
    type: "Python",
    sparkVersion: "4.0.1",
    mainApplicationFile: "local:///pi.py",
    arguments: ["2"],
    driver: { memory: "512m", tolerations: [{ key: "spark", operator: "Exists" }] },
    executor: { instances: 3 },
    restartPolicy: { type: "OnFailure", onFailureRetries: 2 },
    timeToLiveSeconds: 60,
  },
};

async function messagesOf(document: object): Promise<readonly string[]> {
  const read = await readSubmission(JSON.stringify(document), "json");
  return read.ok ? [] : read.issues.map(({ message }) => message);
}

test("a SparkApplication is read with its pod fields as templates, its restart policy and its time to live", async () => {
  const read = await readSubmission(JSON.stringify(sparkApplication), "json");
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  const { name, submission, lifetime } = read.value;
  expect(name).toBe("pi");
  expect(submission).toMatchObject({
    ...{ resource: "local:///pi.py", appArgs: ["2"] },
    settings: { "spark.driver.memory": "512m", "spark.executor.instances": "3" },
  });
  for (const key of ["spark.kubernetes.driver.pod.name", "spark.kubernetes.namespace"])
    expect(Object.keys(submission.settings)).not.toContain(key);
  expect(JSON.parse(submission.templates.driver ?? "")).toMatchObject({
    spec: { tolerations: [{ key: "spark", operator: "Exists" }] },
  });
  expect(lifetime).toEqual({
    restartPolicy: {
      ...{ type: "OnFailure", onFailureRetries: 2 },
      ...{ onFailureRetryInterval: 5, onSubmissionFailureRetryInterval: 5 },
    },
    timeToLiveSeconds: 60,
  });
});

test("YAML has the types of kubectl, and only one document", async () => {
  const yaml = "name: pi\napp: local:///pi.py\nconf:\n  spark.ui.enabled: no\nrestartPolicy: {type: Always}\n";
  const read = await readSubmission(yaml, "yaml");
  expect(read).toMatchObject({
    ok: true,
    value: {
      submission: { settings: { "spark.ui.enabled": "false" } },
      lifetime: { restartPolicy: { type: "Always" } },
    },
  });
  const twice = await readSubmission(`${yaml}---\n${yaml}`, "yaml");
  expect(twice).toMatchObject({ ok: false, issues: [{ message: "the request: body is not one YAML document." }] });
});

test("an application without a restart policy and a time to live needs nothing further", async () => {
  const read = await readSubmission(JSON.stringify({ name: "pi", app: "local:///pi.py" }), "json");
  expect(read).toMatchObject({ ok: true });
  expect(read.ok && read.value.lifetime).toBeUndefined();
});

test("what the gateway cannot do is rejected, with every problem", async () => {
  const prometheus = { jmxExporterJar: "/prometheus/exporter.jar" };
  const monitoring = { exposeDriverMetrics: true, exposeExecutorMetrics: false, prometheus };
  const spec = { ...sparkApplication.spec, suspend: true, monitoring };
  expect(await messagesOf({ ...sparkApplication, spec })).toEqual([
    "the request: spec.suspend is true, which has no effect here.",
    "the request: spec needs the creation of a ConfigMap, which the gateway does not do.",
  ]);
  expect(await messagesOf({ ...sparkApplication, spec: { ...sparkApplication.spec, mode: "client" } })).toEqual([
    "the request: spec.mode is client: then the driver would run in the gateway.",
  ]);
  const schedule = {
    ...{ apiVersion: sparkApplication.apiVersion, kind: "ScheduledSparkApplication", metadata: { name: "pi" } },
    spec: { schedule: "@daily", template: sparkApplication.spec },
  };
  expect(await messagesOf(schedule)).toEqual([
    "the request contains a ScheduledSparkApplication, which belongs to /api/v1/schedules.",
  ]);
  expect(await messagesOf({ ...sparkApplication, spec: { ...sparkApplication.spec, driver: { cores: "x" } } })).toEqual(
    ["the request: spec.driver.cores is a string, not an integer."],
  );
});
