import { describe, expect, test } from "vitest";
import { readPodTemplate } from "./pod-template.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  spec: {
    unknownField: "kept",
    containers: [{ name: "first" }, { name: "second", image: "b" }, { name: "third" }, { name: "third" }],
  },
};

function read(value: unknown, containerName?: string, templateKind: "pod" | "spark" = "pod") {
  return readPodTemplate(value, { path: "pod.yml", containerName, templateKind, octalNumbers: true });
}

describe("a pod template", () => {
  test("has the role's container first", () => {
    const result = read(pod);
    expect(result.ok && result.value.template.container).toEqual({ name: "first" });
    expect(result.ok && result.value.template.pod.spec).toEqual({
      unknownField: "kept",
      containers: [{ name: "second", image: "b" }, { name: "third" }, { name: "third" }],
    });
  });

  test("has the role's container by its configured name", () => {
    const result = read(pod, "second");
    expect(result.ok && result.value.template.container).toEqual({ name: "second", image: "b" });
    expect(result.ok && result.value.log).toEqual([]);
  });

  test.each(["nope", "third"])("gives the first with a warning when %s does not name exactly one", (name) => {
    const result = read(pod, name);
    expect(result.ok && result.value.template.container).toEqual({ name: "first" });
    expect(result.ok && result.value.log.map(({ text }) => text)).toEqual([
      `specified container ${name} not found on pod template, falling back to taking the first container`,
    ]);
  });

  test("can have no container", () => {
    const result = read({ spec: { priorityClassName: "high" } });
    expect(result.ok && result.value.template.container).toEqual({});
  });

  test.each([
    ...[undefined, "text", [pod], { metadata: {} }, { spec: { containers: ["x"] } }],
    ...[{}, [{}], [null], ["x"]].map((volumeMounts) => ({ spec: { containers: [{ volumeMounts }] } })),
    ...[{}, [7], ["x"]].map((env) => ({ spec: { containers: [{ env }] } })),
  ])("cannot be %j", (value) => {
    const result = read(value);
    expect(!result.ok && result.issues.map(({ code }) => code)).toEqual(["SUBMIT_ERR_TEMPLATE_UNUSABLE"]);
  });

  test("is rejected if it is of another kind, except with Spark's behavior", () => {
    const deployment = { kind: "Deployment", spec: { replicas: 2 } };
    const result = read(deployment);
    expect(!result.ok && result.issues.map(({ code }) => code)).toEqual(["SUBMIT_ERR_TEMPLATE_NOT_A_POD"]);
    expect(read(deployment, undefined, "spark").ok).toBe(true);
  });

  test("is rejected if its kind is not a string", () => {
    const result = read({ kind: Object.create(null), spec: {} });
    expect(!result.ok && result.issues.map(({ hint }) => hint)).toEqual([
      expect.stringContaining("kind is a list or an object"),
    ]);
  });

  test("is rejected if its list of containers is null, but not without that field", () => {
    expect(read({ spec: { containers: null } }).ok).toBe(false);
    expect(read({ spec: {} }).ok).toBe(true);
  });
});
