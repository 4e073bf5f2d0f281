import { expect, test } from "vitest";
import { submitError } from "../errors/submit-error.ts";
import { printError } from "./print.ts";

test("what lies behind a failure is a hint, exactly as Spark it is the chain of causes", () => {
  const error = submitError("SUBMIT_ERR_UPLOAD_FAILED", { path: "/me/a.txt", reason: "EACCES" });
  const first =
    'Exception in thread "main" org.apache.spark.SparkException: Uploading file /me/a.txt failed...';
  expect(printError(error, { form: "spark", strict: false })).toBe(`${first}\nHint: EACCES.\n`);
  expect(printError(error, { form: "spark", strict: true })).toBe(
    `${first}\nCaused by: org.apache.spark.SparkException: Error uploading file a.txt\nCaused by: EACCES\n`,
  );
});
