import { expect, test } from "vitest";
import { codeOfRejection, codeOfStatus, errorResponse } from "./submitter-error.ts";

test("an error has every field that the operator reads", () => {
  const { status, body } = errorResponse({ code: "BAD_REQUEST", message: "m", submissionId: "a", nowMs: 0 });
  expect([status, JSON.parse(String(body))]).toEqual([
    400,
    { submission_id: "a", status: 400, error_code: "BAD_REQUEST", message: "m", timestamp: "1970-01-01T00:00:00.000Z" },
  ]);
});

test.each([
  [["SUBMIT_ERR_KUBE_CONFLICT"], "DRIVER_POD_ALREADY_EXISTS"],
  [["SUBMIT_ERR_TOKEN_REUSED"], "DRIVER_POD_ALREADY_EXISTS"],
  [["SUBMIT_ERR_KUBE_QUOTA"], "SUBMITTER_OVERLOADED"],
  [["SUBMIT_ERR_KUBE_FORBIDDEN"], "INTERNAL_SERVER_ERROR"],
  [["SUBMIT_ERR_KUBE_INVALID"], "INVALID_POD_TEMPLATE"],
  [["SUBMIT_ERR_KUBE_ADMISSION"], "INVALID_POD_TEMPLATE"],
  [["SUBMIT_ERR_SETTING_VALUE"], "INVALID_SPARK_SUBMIT_ARGS"],
] as const)("the rejection %o has the error code %s", (codes, expected) => {
  expect(codeOfRejection(codes, true)).toBe(expected);
});

test("without templates, Kubernetes rejects the arguments", () => {
  expect(codeOfRejection(["SUBMIT_ERR_KUBE_INVALID"], false)).toBe("INVALID_SPARK_SUBMIT_ARGS");
});

test.each([
  [401, "BAD_REQUEST"],
  [413, "BAD_REQUEST"],
  [429, "SUBMITTER_OVERLOADED"],
  [500, "INTERNAL_SERVER_ERROR"],
  [503, "SUBMITTER_OVERLOADED"],
])("the status %d has the error code %s", (status, code) => {
  expect(codeOfStatus(status)).toBe(code);
});
