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
  expect(new Set([seed, ...others.map(submissionSeed)]).size).toBe(4);
});

test("submissionSeed is undefined without a token or with an empty one", () => {
  expect(submissionSeed(testRequest())).toBeUndefined();
  expect(submissionSeed(testRequest({ settings: { "spark.firesteel.submissionToken": "" } }))).toBeUndefined();
});
