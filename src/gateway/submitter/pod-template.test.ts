import { describe, expect, test } from "vitest";
import { parsePodTemplate } from "./pod-template.ts";

const parse = (value: unknown) => parsePodTemplate("t", value);

describe("parsePodTemplate", () => {
  test("prints a pod without the fields that are null", () => {
    const template = {
      metadata: { creationTimestamp: null, labels: { team: "data" } },
      spec: { containers: null, tolerations: [{ key: "k", value: null }] },
    };
    expect(parse(template)).toEqual({
      ok: true,
      text: '{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"team":"data"}},"spec":{"tolerations":[{"key":"k"}]}}',
    });
  });

  test("is absent if it is null", () => {
    expect(parse(null)).toEqual({ ok: true, text: undefined });
  });

  test.each([
    ["pod", ["t must be an object."]],
    [{ metadata: [], spec: "x" }, ["t.metadata must be an object.", "t.spec must be an object."]],
    [{ spec: { containers: "spark", volumes: [1] } }, listProblems("t.spec.containers", "t.spec.volumes")],
    [{ metadata: { labels: { "not a label": "x" } } }, ['t.metadata.labels has the invalid key "not a label".']],
    [{ metadata: { labels: { a: "b c" } } }, ['t.metadata.labels has an invalid value for "a".']],
    [{ metadata: { annotations: { a: 1 } } }, ['t.metadata.annotations has an invalid value for "a".']],
    [{ metadata: { ownerReferences: {} } }, listProblems("t.metadata.ownerReferences")],
  ])("names everything that is wrong with %o", (template, problems) => {
    expect(parse(template)).toEqual({ ok: false, problems });
  });
});

function listProblems(...paths: string[]): readonly string[] {
  return paths.map((path) => `${path} must be a list of objects.`);
}
