import { expect, test } from "vitest";
import type { SubmitInvocation } from "../plan/invocation.ts";
import { parseCommandLine } from "./parse.ts";
import { toSubmitArgs } from "./to-submit-args.ts";

function parsedSubmission(argv: readonly string[]): SubmitInvocation {
  const parsed = parseCommandLine(argv, "4.3");
  if (!parsed.ok || parsed.value.action !== "submit") throw new Error("no submission");
  return parsed.value;
}

test("prints arguments in the order of Spark's launcher, for any input order", () => {
  const argv =
    "--name n --jars j --conf spark.b=1 --driver-memory 3g --supervise -v --class X --properties-file p --extra-properties-file q --load-spark-defaults --deploy-mode client --master local a.jar 1 --master";
  expect(toSubmitArgs(parsedSubmission(argv.split(" "))).join(" ")).toBe(
    "--master local --deploy-mode client --conf spark.b=1 --conf spark.driver.memory=3g --properties-file p --extra-properties-file q --load-spark-defaults --class X --name n --jars j --supervise --verbose a.jar 1 --master",
  );
});

test("prints options that the launcher passes on unchanged, including repeated ones", () => {
  const argv =
    "-v --jars a --queue q --supervise --verbose=false --queue r --master m --master n --class X --class Y a.jar";
  expect(toSubmitArgs(parsedSubmission(argv.split(" "))).join(" ")).toBe(
    "--master n --class Y --verbose --jars a --queue q --supervise --verbose --queue r a.jar",
  );
});

test("omits Firesteel's own options", () => {
  const argv = ["--spark-version", "4.3", "--conf", "spark.firesteel.x=1", "--fail-fast", "a.jar"];
  expect(toSubmitArgs(parsedSubmission(argv))).toEqual(["a.jar"]);
});

test("omits the requested options and settings", () => {
  const argv = ["--remote", "sc://h", "--conf", "spark.remote=sc://h", "--conf", "spark.a=1", "a.jar"];
  expect(toSubmitArgs(parsedSubmission(argv), { omitted: ["--remote", "spark.remote"] })).toEqual([
    "--conf",
    "spark.a=1",
    "a.jar",
  ]);
});

test("prints arguments that parse to the same invocation", () => {
  const invocation = parsedSubmission(["--master", "local", "--conf", "spark.a=b c", "--files", "f", "a.jar", "x y"]);
  expect(parsedSubmission(toSubmitArgs(invocation))).toEqual(invocation);
});
