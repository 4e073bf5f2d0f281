import { describe, expect, test } from "vitest";
import { issue } from "../errors/issue.ts";
import { submitError } from "../errors/submit-error.ts";
import { printError, printIssues } from "./print.ts";

const errorAndHint = { form: "errorAndHint" } as const;
const sparkException = { form: "sparkException" } as const;

const uploadFailed = submitError("SUBMIT_ERR_UPLOAD_FAILED", { path: "/me/a.txt", reason: "EACCES" });

describe("printError", () => {
  test("prints a file error of this machine as SUBMIT_ERR_FILE_SYSTEM with a hint", () => {
    const failure = Object.assign(new Error("EACCES: permission denied, mkdir '/x'"), {
      code: "EACCES",
      syscall: "mkdir",
    });
    expect(printError(failure, errorAndHint)).toMatch(
      /^Error: A file operation failed on this machine: EACCES: permission denied, mkdir '\/x'\nHint: .*FIRESTEEL_STATE/,
    );
  });

  test("prints an internal error with its stack trace and asks for a report", () => {
    expect(printError(new TypeError("x"), errorAndHint)).toMatch(
      /^Error: Internal error: TypeError: x\n {4}at [\s\S]*\nHint: Report this bug of Firesteel .*\n$/,
    );
  });

  test("prints an error and its hint, and nothing of a JVM, outside of strict mode", () => {
    expect(printError(uploadFailed, errorAndHint)).toBe(
      "Error: Uploading file /me/a.txt failed...\nHint: Fix this, then submit again: EACCES.\n",
    );
    expect(printError(uploadFailed, { form: "errorOnly" })).toBe("Error: Uploading file /me/a.txt failed...\n");
  });

  test("prints Spark's exception with its causes, and no hint, in strict mode", () => {
    expect(printError(uploadFailed, sparkException)).toBe(
      [
        'Exception in thread "main" org.apache.spark.SparkException: Uploading file /me/a.txt failed...',
        "Caused by: org.apache.spark.SparkException: Error uploading file a.txt",
        "Caused by: EACCES",
        "",
      ].join("\n"),
    );
  });
});

describe("printIssues", () => {
  const version = (text: string) => issue("SUBMIT_ERR_SPARK_VERSION", { text, known: ["4.3"] });
  const image = issue("SUBMIT_ERR_IMAGE_MISSING", { version: "4.3.0" });

  test("prints each hint below its error, and a hint that consecutive errors share once", () => {
    expect(printIssues([version("1"), version("2"), image, version("3")], errorAndHint)).toBe(
      [
        "Error: Unknown Spark version: 1",
        "Error: Unknown Spark version: 2",
        "Hint: Use a release such as 4.3.0, or a release line: 4.3.",
        "Error: Must specify the driver container image",
        "Hint: Build an image with `firesteel image build spark-py --spark-version 4.3.0 --tag REPO/spark-py:4.3.0 --push`, and pass --conf spark.kubernetes.container.image=REPO/spark-py:4.3.0. Or pass Apache's: --conf spark.kubernetes.container.image=apache/spark:4.3.0.",
        "Error: Unknown Spark version: 3",
        "Hint: Use a release such as 4.3.0, or a release line: 4.3.",
        "",
      ].join("\n"),
    );
  });

  test("wraps SparkException, and no other exception, for a proxy user", () => {
    const master = issue("SUBMIT_ERR_MASTER_PREFIX", {});
    expect(printIssues([image, master], { ...sparkException, isProxied: true })).toBe(
      [
        'Exception in thread "main" java.lang.reflect.UndeclaredThrowableException',
        "Caused by: org.apache.spark.SparkException: Must specify the driver container image",
        'Exception in thread "main" java.lang.IllegalArgumentException: requirement failed: Kubernetes master URL must start with k8s://.',
        "",
      ].join("\n"),
    );
  });

  test("keeps the line ends of Spark's messages about settings, and indents those of servers", () => {
    const setting = { key: "k", value: "v", requirement: "Two\nlines", condition: false };
    const watch = { status: 500, url: "https://h", reason: "two\nlines" };
    expect(printIssues([issue("SUBMIT_ERR_SETTING_VALUE", setting)], sparkException)).toMatch(/ Two\nlines\n$/);
    expect(printIssues([issue("SUBMIT_ERR_KUBE_WATCH", watch)], sparkException)).toMatch(/ two\n\t\tlines\.\n$/);
    expect(printIssues([issue("SUBMIT_ERR_SETTING_VALUE", setting)], errorAndHint)).toContain("Two\n\t\tlines");
  });

  test("prints a class that cannot be loaded without an exception in every form", () => {
    const found = [issue("SUBMIT_ERR_CLASS_NOT_LOADED", { className: "X" })];
    expect(printIssues(found, sparkException)).toBe("Error: Failed to load class X.\n");
    expect(printIssues(found, errorAndHint)).toBe("Error: Failed to load class X.\n");
  });
});
