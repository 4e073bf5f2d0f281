import { expect, test } from "vitest";
import { testRequest } from "../../../plan/test-driver.ts";
import { submissionSeed } from "./submission-seed.ts";

const token = { "spark.firesteel.submissionToken": "nightly" };

test("submissionSeed depends on token, namespace and master", () => {
  const seed = submissionSeed(testRequest({ settings: token }));
  expect(submissionSeed(testRequest({ settings: { ...token, "spark.app.name": "x" } }))).toBe(seed);
  const others = [
    testRequest({ settings: { "spark.firesteel.submissionToken": "weekly" } }),
    testRequest({ settings: { ...token, "spark.kubernetes.namespace": "jobs" } }),
    { ...testRequest({ settings: token }), apiServer: "https://other" },
  ];
  expect(new Set([seed, ...others.map((request) => submissionSeed(request))]).size).toBe(4);
});

test("submissionSeed depends on the name of the cluster instead of the master, if it has one", () => {
  const request = testRequest({ settings: token });
  const seed = submissionSeed(request, "gateway");
  expect(submissionSeed({ ...request, apiServer: "https://other" }, "gateway")).toBe(seed);
  expect(submissionSeed(request, "other")).not.toBe(seed);
});

test("submissionSeed is undefined without a token or with an empty one", () => {
  expect(submissionSeed(testRequest())).toBeUndefined();
  expect(submissionSeed(testRequest({ settings: { "spark.firesteel.submissionToken": "" } }))).toBeUndefined();
});
