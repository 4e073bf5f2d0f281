import { expect, test } from "vitest";
import { issuesOf } from "../errors/issue.ts";
import { orThrow } from "../errors/submit-error.ts";
import { testHost } from "../host/test-host.ts";
import { isApplication, isSchedule, readApplication } from "../spark-application/read/read-application.ts";
import { loadApplication } from "./load-application.ts";
import { loadSchedule } from "./load-schedule.ts";
import { readManifest } from "./read-manifest.ts";

const header = { apiVersion: "sparkoperator.k8s.io/v1beta2", metadata: { name: "pi" } };
const spec = {
  type: "Scala",
  sparkVersion: "4.0.5",
  mainApplicationFile: "local:///a.jar",
  driver: {},
  executor: {},
};

function codesOf(document: unknown): readonly string[] {
  return issuesOf(readApplication("f", document)).map(({ code }) => code);
}

function load(changes: object) {
  const application = orThrow(
    readApplication("f", { ...header, kind: "SparkApplication", spec: { ...spec, ...changes } }),
  );
  if (!isApplication(application)) throw new Error("not an application");
  return loadApplication("f", application, { options: {}, reservedKeys: "reject" });
}

test("a document of another kind, and each wrong field, has a code", () => {
  expect(codesOf({ kind: "Pod", apiVersion: "v1" })).toEqual(["SUBMIT_ERR_MANIFEST_KIND"]);
  expect(codesOf({ ...header, kind: "SparkApplication", spec: { ...spec, driver: 1, extra: 1 } })).toEqual([
    "SUBMIT_ERR_MANIFEST_FIELD",
    "SUBMIT_ERR_MANIFEST_FIELD_UNKNOWN",
  ]);
  expect(codesOf({ ...header, kind: "SparkApplication", spec: { ...spec, image: null }, status: { a: 1 } })).toEqual(
    [],
  );
});

test("rules and reserved keys have a code", () => {
  expect(() => load({ nodeSelector: {}, driver: { nodeSelector: {} } })).toThrow(
    expect.objectContaining({ code: "SUBMIT_ERR_MANIFEST_RULE" }),
  );
  expect(() => load({ sparkConf: { "spark.kubernetes.namespace": "other" } })).toThrow(
    expect.objectContaining({ code: "SUBMIT_ERR_MANIFEST_RESERVED_KEY" }),
  );
  expect(load({ sparkConf: { "spark.kubernetes.namespace": "default" } }).input.namespace).toBe("default");
});

test("an unreadable file has a code", async () => {
  const similar = testHost({ files: { "/home/tester/job/app.yaml": "" } });
  await expect(readManifest(similar, "ap.yaml")).rejects.toMatchObject({
    issues: [{ hint: "Did you mean app.yaml? Pass the path of a file of an application, in YAML or JSON." }],
  });
  await expect(readManifest(testHost(), "none.yaml")).rejects.toMatchObject({ code: "SUBMIT_ERR_MANIFEST_UNREADABLE" });
});

test("a wrong schedule has a code, and a long name a warning", () => {
  const scheduleOf = (schedule: string, name = "pi") => {
    const document = {
      ...header,
      metadata: { name },
      kind: "ScheduledSparkApplication",
      spec: { schedule, template: spec },
    };
    const read = orThrow(readApplication("f", document));
    if (!isSchedule(read)) throw new Error("not a schedule");
    return loadSchedule("f", read, { reservedKeys: "reject" });
  };
  expect(() => scheduleOf("0 24 * * *")).toThrow(expect.objectContaining({ code: "SUBMIT_ERR_MANIFEST_SCHEDULE" }));
  expect(scheduleOf("@daily", "n".repeat(44)).warnings).toEqual([expect.stringContaining("has 44 characters")]);
});
