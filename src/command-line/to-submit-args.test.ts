import { expect, test } from "vitest";
import type { SubmitInvocation } from "../plan/invocation.ts";
import { parseCommandLine } from "./parse.ts";
import { toSubmitArgs } from "./to-submit-args.ts";

function said(argv: readonly string[]): SubmitInvocation {
  const parsed = parseCommandLine(argv, "4.3");
  if (!parsed.ok || parsed.value.action !== "submit") throw new Error("no submission");
  return parsed.value;
}

test("words come in the order of Spark's launcher, whatever order they were said in", () => {
  const argv =
    "--name n --jars j --conf spark.b=1 --driver-memory 3g --supervise -v --class X --properties-file p --extra-properties-file q --load-spark-defaults --deploy-mode client --master local a.jar 1 --master";
  expect(toSubmitArgs(said(argv.split(" "))).join(" ")).toBe(
    "--master local --deploy-mode client --conf spark.b=1 --conf spark.driver.memory=3g --properties-file p --extra-properties-file q --load-spark-defaults --class X --name n --jars j --supervise --verbose a.jar 1 --master",
  );
});

test("what the launcher does not look at comes as it was said, again and again", () => {
  const argv =
    "-v --jars a --queue q --supervise --verbose=false --queue r --master m --master n --class X --class Y a.jar";
  expect(toSubmitArgs(said(argv.split(" "))).join(" ")).toBe(
    "--master n --class Y --verbose --jars a --queue q --supervise --verbose --queue r a.jar",
  );
});

test("options of ours are not said to Spark", () => {
  const argv = ["--spark-version", "4.3", "--conf", "spark.firesteel.x=1", "--fail-fast", "a.jar"];
  expect(toSubmitArgs(said(argv))).toEqual(["a.jar"]);
});

test("what is left out, option or setting, is not said", () => {
  const argv = ["--remote", "sc://h", "--conf", "spark.remote=sc://h", "--conf", "spark.a=1", "a.jar"];
  expect(toSubmitArgs(said(argv), { omitted: ["--remote", "spark.remote"] })).toEqual([
    "--conf",
    "spark.a=1",
    "a.jar",
  ]);
});

test("words are read again as what they were", () => {
  const invocation = said(["--master", "local", "--conf", "spark.a=b c", "--files", "f", "a.jar", "x y"]);
  expect(said(toSubmitArgs(invocation))).toEqual(invocation);
});
