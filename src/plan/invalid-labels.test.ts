import { expect, test } from "vitest";
import { invalidLabelIssues } from "./invalid-labels.ts";
import { type TestSubmission, testDriver } from "./test-driver.ts";

function found(key: string, value: string, submission: TestSubmission = {}) {
  const driver = testDriver({ ...submission, settings: { [`spark.kubernetes.${key}`]: value } });
  return invalidLabelIssues(driver).map(({ code, message }) => `${code}: ${message}`);
}

test.each([
  ["driver.label.team", "a b", "label value", "a b"],
  ["executor.label.a b", "x", "label name", "a b"],
  ["driver.service.label.team", "-", "label value", "-"],
  ["node.selector.zone", "a/b", "node selector value", "a/b"],
  ["driver.node.selector./zone", "a", "node selector name", "/zone"],
  ["executor.node.selector.", "a", "node selector name", ""],
  ["driver.annotation.a b", "any text", "annotation name", "a b"],
  ["executor.annotation.a/b/c", "any text", "annotation name", "a/b/c"],
])("rejects %s=%s (SUBMIT_ERR_SETTING_LABEL)", (key, value, what, wrong) => {
  expect(found(key, value)).toEqual([
    `SUBMIT_ERR_SETTING_LABEL: Invalid ${what} in spark.kubernetes.${key}: "${wrong}".`,
  ]);
});

test.each([
  ["driver.label.example.com/team", "a.B_c-1"],
  ["driver.label.app", "{{APP_ID}}"],
  ["executor.label.id", "exec-{{EXECUTOR_ID}}"],
  ["driver.annotation.Example.com/a", "any text"],
  ["node.selector.empty", ""],
])("accepts %s=%s", (key, value) => {
  expect(found(key, value)).toEqual([]);
});

test("checks a value after its placeholders are replaced, in lines that replace them", () => {
  expect(found("driver.label.id", "exec-{{EXECUTOR_ID}}")).toEqual([
    'SUBMIT_ERR_SETTING_LABEL: Invalid label value in spark.kubernetes.driver.label.id: "exec-".',
  ]);
  expect(found("driver.label.app", "{{APP_ID}}", { line: "3.5" })).toHaveLength(1);
});
