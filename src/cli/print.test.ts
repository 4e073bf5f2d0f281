import { expect, test } from "vitest";
import { submitError } from "../errors/submit-error.ts";
import { printError } from "./print.ts";

test("what the machine refuses (SUBMIT_ERR_FILE_SYSTEM) is no fault of ours", () => {
  const refusal = Object.assign(new Error("EACCES: permission denied, mkdir '/x'"), {
    code: "EACCES",
    syscall: "mkdir",
  });
  expect(printError(refusal, { form: "plain", strict: false })).toMatch(
    /^Error: A file operation failed on this machine: EACCES: permission denied, mkdir '\/x'\nHint: .*FIRESTEEL_STATE/,
  );
  expect(printError(new TypeError("x"), { form: "plain", strict: false })).toMatch(
    /^Internal error: TypeError: x/,
  );
});

test("what lies behind a failure is a hint, exactly as Spark it is the chain of causes", () => {
  const error = submitError("SUBMIT_ERR_UPLOAD_FAILED", { path: "/me/a.txt", reason: "EACCES" });
  const first =
    'Exception in thread "main" org.apache.spark.SparkException: Uploading file /me/a.txt failed...';
  expect(printError(error, { form: "spark", strict: false })).toBe(
    `${first}\nHint: Fix this, then submit again: EACCES.\n`,
  );
  expect(printError(error, { form: "spark", strict: true })).toBe(
    `${first}\nCaused by: org.apache.spark.SparkException: Error uploading file a.txt\nCaused by: EACCES\n`,
  );
});
