import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { readApplied } from "./applied-application.ts";

function namespaceOf(more: object, namespace?: string) {
  const document = { name: "job", app: "local:///job.py", ...more };
  const options = { options: {}, reservedKeys: "reject", namespace } as const;
  const applied = readApplied({ file: "job.yaml", document }, options);
  if (applied.kind !== "application") throw new Error("not an application");
  const { settings } = applied.submit(testHost(), { fields: {}, settings: [], verbose: false }).invocation;
  return [applied.namespace, settings.find(({ key }) => key === "spark.kubernetes.namespace")?.value];
}

test("an application in the own format is in the namespace of its file, else of the command", () => {
  expect(namespaceOf({}, "jobs")).toEqual(["jobs", "jobs"]);
  expect(namespaceOf({ namespace: "own" }, "jobs")).toEqual(["own", "own"]);
  expect(namespaceOf({ conf: { "spark.kubernetes.namespace": "own" } }, "jobs")).toEqual(["own", "own"]);
  expect(namespaceOf({})).toEqual(["default", undefined]);
});
