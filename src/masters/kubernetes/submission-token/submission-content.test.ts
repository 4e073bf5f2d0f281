import { expect, test } from "vitest";
import { testDriver } from "../../../plan/test-driver.ts";
import { differingParts, printContent, submissionContent } from "./submission-content.ts";

type Submission = Parameters<typeof testDriver>[0];

function partsBetween(first: Submission, second: Submission, token = "t") {
  const annotation = printContent(submissionContent("t", testDriver(first)));
  return differingParts(submissionContent(token, testDriver(second)), annotation);
}

test("submissionContent is the same for the same submission, regardless of time, connection and waiting", () => {
  const again = {
    settings: {
      "spark.app.submitTime": "2",
      "spark.kubernetes.authenticate.submission.oauthToken": "new",
      "spark.kubernetes.context": "other",
      "spark.kubernetes.submission.waitAppCompletion": "false",
      "spark.firesteel.logs": "driver",
    },
  };
  expect(partsBetween({ settings: { "spark.app.submitTime": "1" } }, again)).toEqual([]);
});

test.each<[Submission, readonly string[]]>([
  [{ appArgs: ["b"] }, ["arguments"]],
  [{ mainClass: "Other" }, ["main class"]],
  [{ settings: { "spark.executor.memory": "2g" } }, ["spark.executor.memory"]],
  [{ proxyUser: "bob" }, ["proxy user"]],
  [{ facts: { executorTemplateText: "kind: Pod" } }, ["pod templates"]],
])("differingParts reports the difference in %j", (second, parts) => {
  expect(partsBetween({}, second)).toEqual(parts);
});

test("differingParts reports missing parts, too", () => {
  expect(partsBetween({ settings: { "spark.x": "1" } }, {})).toEqual(["spark.x"]);
});

test("differingParts reports nothing without a valid annotation", () => {
  const content = submissionContent("t", testDriver({}));
  for (const annotation of [undefined, "", "no JSON", "null"]) expect(differingParts(content, annotation)).toEqual([]);
});

test("submissionContent depends on the token, so that values cannot be guessed", () => {
  const secret = { settings: { "spark.password": "1234" } };
  expect(printContent(submissionContent("t", testDriver(secret)))).not.toContain("1234");
  expect(partsBetween(secret, secret, "other")).toContain("spark.password");
});
