import { expect, test } from "vitest";
import { localizedDriver } from "../../../../../plan/test-localized.ts";
import { pushUrlStepIssues } from "./push-url-step.ts";

const own = { name: "own", step: { pushUrl: () => "https://h" } };
const other = { name: "other", step: { contribute: () => ({}) } };

function issuesOf(steps: Parameters<typeof pushUrlStepIssues>[1], serviceManagerType: string, transport = "push") {
  const driver = localizedDriver({
    machine: { "/me/a.txt": "a" },

    settings: {
      "spark.files": "/me/a.txt",
      "spark.firesteel.staging.transport": transport,
      "spark.firesteel.staging.push.serviceManagerType": serviceManagerType,
    },
  });
  return pushUrlStepIssues(driver, steps);
}

test("a push to the URL of a feature step requires exactly one with the method", () => {
  const code = "SUBMIT_ERR_STAGING_PUSH_STEP";
  expect(issuesOf([other, own], "FeatureStep")).toEqual([]);
  expect(issuesOf([other], "FeatureStep")).toMatchObject([{ code, message: expect.stringContaining("no module") }]);
  expect(issuesOf([own, own], "FeatureStep")).toMatchObject([{ code, message: expect.stringContaining("own, own") }]);
});

test("other transports and services require none", () => {
  expect(issuesOf([], "FeatureStep", "secret")).toEqual([]);
  expect(issuesOf([], "PortForward")).toEqual([]);
});
