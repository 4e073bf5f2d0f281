import { describe, expect, test } from "vitest";
import type { Pod } from "../../kube/types.ts";
import { testDriver } from "../../plan/test-driver.ts";
import { contributionOf, transformedPod } from "./run-user-step.ts";
import { defineStep, toStepConf } from "./user-step.ts";

const conf = toStepConf(testDriver({ settings: { "spark.my.key": "v" } }));

/** As a module without types has it. */
function stepReturning(value: unknown) {
  const run: () => never = new Proxy(() => fail(), { apply: () => value });
  return { name: "custom", step: { contribute: run, transform: run } };
}

function fail(): never {
  throw new Error("not called");
}

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "drv", labels: { "spark-role": "driver", "spark-app-selector": "a" } },
  spec: { containers: [{ name: "c" }] },
} satisfies Pod;

function reasonOf(result: ReturnType<typeof contributionOf> | ReturnType<typeof transformedPod>) {
  return result.ok ? undefined : result.issues.map(({ code, message }) => `${code}: ${message}`).join("\n");
}

describe("the contribution of a user step", () => {
  test("can use the data of the submission", () => {
    const step = defineStep({
      contribute: ({ role, settings, podName, sparkVersion, appName }) => ({
        labels: { all: [role, settings["spark.my.key"], podName, sparkVersion, appName].join("_") },
      }),
    });
    expect(contributionOf({ name: "custom", step }, conf)).toEqual({
      ok: true,
      value: { labels: { all: "driver_v_golden-aaaaaa1-driver_4.3.0_golden" } },
    });
  });

  test("can contain everything that Spark's own steps add", () => {
    const all = {
      labels: { a: "b" },
      annotations: {},
      podSpec: { priorityClassName: "high" },
      container: { workingDir: "/w" },
      env: [{ name: "A", value: "" }],
      ports: [{ containerPort: 1 }],
      volumes: [{ name: "v", emptyDir: {} }],
      mounts: [{ name: "v", mountPath: "/v" }],
      initContainers: [{ name: "i" }],
      properties: { "spark.a": "b" },
      warnings: ["careful"],
      preResources: [{ apiVersion: "v1", kind: "Secret", metadata: { name: "s" } }],
      resources: [],
    };
    expect(contributionOf(stepReturning(all), conf)).toEqual({ ok: true, value: all });
  });

  test.each([
    [undefined, "it is nothing, not an object with contributions"],
    ["text", "it is a string, not an object"],
    [Promise.resolve({}), "it is a promise, not an object"],
    [{ label: {} }, "it has the unknown field label; known are labels, annotations, podSpec"],
    [{ labels: { a: 1 } }, "labels.a is a number, not text"],
    [{ properties: [] }, "properties is a list, not an object"],
    [{ env: {} }, "env is an object, not a list"],
    [{ env: [{ value: "x" }] }, "env[0] has no name"],
    [{ mounts: [{ name: "v" }] }, "mounts[0] has no mountPath"],
    [{ volumes: ["v"] }, "volumes[0] is a string, not an object"],
    [{ podSpec: { volumes: [] } }, "podSpec.volumes belongs into volumes"],
    [{ container: { env: [] } }, "container.env belongs into env"],
    [{ resources: [{ kind: "Secret", metadata: {} }] }, "resources[0] has no apiVersion"],
    [{ resources: [{ apiVersion: "v1", kind: "Secret", metadata: {} }] }, "resources[0].metadata has no name"],
    [{ warnings: [1] }, "warnings[0] is a number, not text"],
  ])("cannot be %j", (value, reason) => {
    const message = reasonOf(contributionOf(stepReturning(value), conf));
    expect(message).toContain("SUBMIT_ERR_FEATURE_STEP_RESULT: The feature step custom");
    expect(message).toContain(reason);
  });

  test("is an issue if the step throws", () => {
    const step = defineStep({
      contribute: () => {
        throw new TypeError("no team");
      },
    });
    expect(reasonOf(contributionOf({ name: "custom", step }, conf))).toBe(
      "SUBMIT_ERR_FEATURE_STEP_THROWN: The feature step custom failed in contribute: no team",
    );
  });
});

describe("the transformation of a user step", () => {
  test("returns the pod and gets a copy", () => {
    const step = defineStep({
      transform: (input) => {
        input.spec = { ...input.spec, containers: [{ name: "other" }], priority: 1 };
        return input;
      },
    });
    expect(transformedPod({ name: "custom", step }, pod, conf)).toMatchObject({
      ok: true,
      value: { spec: { containers: [{ name: "other" }], priority: 1 } },
    });
    expect(pod.spec).toEqual({ containers: [{ name: "c" }] });
  });

  test.each([
    [undefined, "it is nothing, not the pod"],
    [{ ...pod, kind: "Job" }, "it is not a pod with containers"],
    [{ ...pod, spec: { containers: [] } }, "it is not a pod with containers"],
    [{ ...pod, metadata: { ...pod.metadata, name: "x" } }, "it changes metadata.name"],
    [{ ...pod, metadata: { ...pod.metadata, namespace: "x" } }, "it changes metadata.namespace"],
    [
      { ...pod, metadata: { ...pod.metadata, labels: { "spark-role": "driver" } } },
      "it changes the label spark-app-selector",
    ],
  ])("cannot be %j", (value, reason) => {
    expect(reasonOf(transformedPod(stepReturning(value), pod, conf))).toContain(reason);
  });
});
