import { expect, test } from "vitest";
import { isAppId, parseSubmissionId, toAppId } from "./identity.ts";

test("builds an application ID from a UUID", () => {
  const id = toAppId("0a1b2c3d-0000-4000-8000-0123456789ab");
  expect(id).toBe("spark-0a1b2c3d0000400080000123456789ab");
  expect([isAppId(id), isAppId("spark-1"), isAppId(`${id}0`)]).toEqual([true, false, false]);
});

test.each([
  ["ns:drv", { namespace: "ns", name: "drv", isPrefix: false }],
  ["drv", { namespace: undefined, name: "drv", isPrefix: false }],
  ["a:b:c", { namespace: "a", name: "b:c", isPrefix: false }],
  ["ns:app-*", { namespace: "ns", name: "app-", isPrefix: true }],
  ["*", { namespace: undefined, name: "", isPrefix: true }],
  ["ns:a*b*", { namespace: "ns", name: "a*b", isPrefix: true }],
])("parses the submission ID %s", (text, id) => {
  expect(parseSubmissionId(text)).toEqual({ ok: true, value: id });
});

test.each([
  ["", "SUBMIT_ERR_SUBMISSION_ID_NAME"],
  ["ns:", "SUBMIT_ERR_SUBMISSION_ID_NAME"],
  [":drv", "SUBMIT_ERR_SUBMISSION_ID_NAMESPACE"],
])("rejects the submission ID %j", (text, code) => {
  expect(parseSubmissionId(text)).toMatchObject({ ok: false, issues: [{ code }] });
});
