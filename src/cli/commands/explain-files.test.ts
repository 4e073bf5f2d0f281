import { expect, test } from "vitest";
import { applicationText, runWithFiles } from "./test-application.ts";

const own = ["name: job", "app: local:///job.py", "image: spark:4.3.0", "profile: fast"].join("\n");
const profiles = ["profiles:", "  fast:", "    spark.executor.memory: 3g"].join("\n");
const files = { "job.yaml": own, "firesteel.yaml": profiles };

test("explains a file of the own format, with the origin of settings of the file, its profile and options", async () => {
  const argv = ["explain", "--only", "driver", "-f", "job.yaml", "--conf", "spark.driver.cores=2"];
  const { exit, out, error } = await runWithFiles(argv, files);
  expect([exit, error]).toEqual([0, ""]);
  expect(out).toMatch(/spark.kubernetes.container.image=spark:4.3.0 from job.yaml/);
  expect(out).toContain("spark.driver.cores=2 from --conf");
  const { out: properties } = await runWithFiles(
    ["explain", "--field", "spark.executor.memory", "-f", "job.yaml"],
    files,
  );
  expect(properties).toMatch(/spark.executor.memory=3g from \S*firesteel.yaml/);
});

test("explains a SparkApplication, as JSON", async () => {
  const argv = ["explain", "--json", "--field", "metadata.name", "--file=app.yaml"];
  const { exit, out } = await runWithFiles(argv, { "app.yaml": applicationText() });
  expect(exit).toBe(0);
  const { fields } = JSON.parse(out);
  expect(fields).toContainEqual(expect.objectContaining({ object: "Pod/pi-driver", value: "pi-driver" }));
});

test.each([
  [["-f", "job.yaml", "--json", "--field", "metadata.namespace", "-n", "jobs"]],
  [["--field=metadata.namespace", "--file=job.yaml", "--conf", "spark.app.name=--only", "-n", "jobs", "--json"]],
])("accepts its own options also after the file: %j", async (args) => {
  const { exit, out, error } = await runWithFiles(["explain", ...args], files);
  expect([exit, error]).toEqual([0, ""]);
  expect(JSON.parse(out).fields).toContainEqual(expect.objectContaining({ value: "jobs" }));
});

test("rejects an unknown option after the file, with the nearest one", async () => {
  const { exit, error } = await runWithFiles(["explain", "-f", "job.yaml", "--jsn"], files);
  expect(exit).toBe(1);
  expect(error).toBe(
    "Error: Unrecognized option: --jsn\nHint: Did you mean --json? Run with --help to list all options.\n",
  );
});
