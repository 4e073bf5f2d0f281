import { describe, expect, test } from "vitest";
import { type TestHostOptions, testHost } from "../host/test-host.ts";
import { testRequest } from "../plan/test-driver.ts";
import { readPodGroupTemplate } from "./read-pod-group-template.ts";

const added = {
  "spark.kubernetes.driver.pod.featureSteps": "org.apache.spark.deploy.k8s.features.VolcanoFeatureStep",
};
const file = "spark.kubernetes.scheduler.volcano.podGroupTemplateFile";
const json = "spark.kubernetes.scheduler.volcano.podGroupTemplateJson";

function read(settings: Readonly<Record<string, string>>, files: TestHostOptions["files"] = {}) {
  return readPodGroupTemplate(testHost({ files }), testRequest({ settings }));
}

describe("a PodGroup template", () => {
  test("is read from a file, with a path relative to the working directory, before JSON", async () => {
    const files = { "/home/tester/job/pg.yml": "spec: {minMember: 3, queue: '${spark.app.name}'}\n" };
    expect(await read({ ...added, [file]: "pg.yml", [json]: "{}" }, files)).toEqual({
      ok: true,
      value: { spec: { minMember: 3, queue: "${spark.app.name}" } },
    });
  });

  test("is read from JSON in a setting", async () => {
    expect(await read({ ...added, [json]: '{"spec":{"queue":"q"}}' })).toEqual({
      ok: true,
      value: { spec: { queue: "q" } },
    });
  });

  test.each([
    [{ ...added, [json]: '{"spec":' }, "SUBMIT_ERR_POD_GROUP_TEMPLATE"],
    [{ ...added, [json]: "" }, "SUBMIT_ERR_POD_GROUP_TEMPLATE"],
    [{ ...added, [json]: "a: 1\n---\nb: 2\n" }, "SUBMIT_ERR_POD_GROUP_TEMPLATE"],
    [{ ...added, [file]: "/nope.yml" }, "SUBMIT_ERR_POD_GROUP_TEMPLATE"],
    [{ ...added, [file]: "file:///pg.yml" }, "SUBMIT_ERR_POD_GROUP_TEMPLATE"],
  ])("cannot be %j", async (settings, code) => {
    expect(await read(settings, { "/pg.yml": "spec: {}" })).toMatchObject({ issues: [{ code }] });
  });

  test.each([[{ [file]: "/nope.yml" }], [added]])("is not read for %j", async (settings) => {
    expect(await read(settings)).toEqual({ ok: true, value: undefined });
  });

  test("can be empty, which differs from a missing one", async () => {
    expect(await read({ ...added, [json]: "null" })).toEqual({ ok: true, value: null });
  });
});
