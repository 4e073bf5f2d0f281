import { expect, test } from "vitest";
import { sparkEnv, startInJvm } from "./test-jvm.ts";
import { sparkFiles } from "./test-launch.ts";

const files = { ...sparkFiles, "/home/tester/job/app.py": "" };

async function warningOf(argv: readonly string[], strict = "0"): Promise<string> {
  const env = { ...sparkEnv, FIRESTEEL_STRICT: strict };
  return (await startInJvm(["--master", "local", ...argv], { env, files })).host.errorText();
}

test("names the file that a misspelled application of a local driver means", async () => {
  expect(await warningOf(["ap.py"])).toMatch(
    / WARN SparkSubmit: \/home\/tester\/job\/ap\.py does not exist\. Did you mean \/home\/tester\/job\/app\.py\?\n$/,
  );
});

test.each([
  ["an application that exists", ["app.py"]],
  ["one that resembles no file", ["other.py"]],
  ["one in the image", ["local:///home/tester/job/ap.py"]],
  ["a shell", ["--class", "org.apache.spark.repl.Main"]],
])("is silent about %s", async (_, argv) => {
  expect(await warningOf(argv)).toBe("");
});

test("is silent with Spark's exact behavior", async () => {
  expect(await warningOf(["ap.py"], "1")).toBe("");
});

test("names the setting that a misspelled one of a local driver means", async () => {
  expect(
    await warningOf(["--conf", "spark.executor.memroy=1g", "--conf", "my.own.setting.memroy=1", "app.py"]),
  ).toMatch(
    /^\S+ \S+ WARN SparkConf: Unknown setting spark\.executor\.memroy \(--conf\)\. Did you mean spark\.executor\.memory\?\n$/,
  );
});
