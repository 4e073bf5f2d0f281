import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { main } from "../main.ts";

const submitArgs = [
  ...["--master", "k8s://https://127.0.0.1:1", "--deploy-mode", "cluster", "--class", "Main"],
  ...["--conf", "spark.kubernetes.container.image=img:1"],
];

function doctor(...args: readonly string[]) {
  return doctorWith({}, ...args);
}

async function doctorWith(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const host = testHost({ argv: ["doctor", ...args], env: { SPARK_CONF_DIR: "/conf", ...env } });
  const exit = await host.settle(main(host));
  return { exit, out: host.outText(), error: host.errorText() };
}

test("reports an API that cannot be reached, and which checks need it", async () => {
  const { exit, out } = await doctor(...submitArgs, "local:///a.jar");
  expect(exit).toBe(1);
  expect(out).toMatch(/^FAILURE +api .*127\.0\.0\.1:1/m);
  expect(out).toMatch(/^ok +arguments/m);
  expect(out).toMatch(/^skipped +permissions +It needs the API\.$/m);
  expect(out).toMatch(/\nThe submission will fail: 1 failure, 0 warnings, \d+ skipped\.\n$/);
});

test("does the checks that need no pods although the arguments are invalid, and names the others", async () => {
  const { exit, out } = await doctor(...submitArgs, "--conf", "spark.driver.cores=0", "local:///a.jar");
  expect(exit).toBe(1);
  expect(out).toMatch(/^FAILURE +arguments +Driver cores must be a positive number/m);
  expect(out).toMatch(/^FAILURE +api .*127\.0\.0\.1:1/m);
  expect(out).toMatch(/^ok +dynamic-allocation/m);
  expect(out).toMatch(/^ok +settings/m);
  expect(out).toMatch(/^skipped +staging +It needs valid arguments\.$/m);
  expect(out).toMatch(/^skipped +nodes +It needs the API\.$/m);
});

test.each([
  ["yarn", "cluster"],
  ["spark://h:7077", "cluster"],
  ["local[2]", "client"],
  ["k8s://https://127.0.0.1:1", "client"],
])("does not check a valid submission to %s in %s mode, and says so", async (master, mode) => {
  const options = ["--master", master, "--deploy-mode", mode, "--class", "Main"];
  const { exit, out } = await doctorWith({ HADOOP_CONF_DIR: "/hadoop" }, ...options, "local:///a.jar");
  expect({ exit, out }).toEqual({
    exit: 0,
    out:
      `skipped arguments  Only submissions to Kubernetes in cluster mode are checked, and this one is to ${master} in ${mode} mode.\n` +
      "Nothing was checked: 0 failures, 0 warnings, 1 skipped.\n",
  });
});

test("reports the problems and the warnings of a submission to another master", async () => {
  const conf = ["--conf", "spark.rpc.numRetries=3", "--conf", "spark.driver.cores=x"];
  const { exit, out } = await doctor("--master", "yarn", "--total-executor-cores", "x", ...conf, "a.jar");
  expect(exit).toBe(1);
  expect(out).toMatch(/^FAILURE +arguments/m);
  expect(out).toMatch(/^warning +settings .*spark\.rpc\.numRetries/m);
});

test("reports arguments without a valid master, and that no check could be done", async () => {
  const { exit, out } = await doctor(
    "--master",
    "k9s://h",
    "--deploy-mode",
    "cluster",
    "--class",
    "M",
    "local:///a.jar",
  );
  expect(exit).toBe(1);
  expect(out.match(/^skipped +\S+ +It needs valid arguments\.$/gm)).toHaveLength(15);
});

test("prints JSON with all problems of the arguments", async () => {
  const { exit, out } = await doctor("--json", ...submitArgs, "--conf", "spark.driver.cores=0", "local:///a.jar");
  const { passed, findings } = JSON.parse(out);
  expect([exit, passed]).toEqual([1, false]);
  expect(findings).toContainEqual({
    ...{ check: "arguments", status: "failure", cause: "setting-invalid", key: null },
    reason: "Driver cores must be a positive number",
    fix: 'Change spark.driver.cores from "0" to a number such as 2.',
  });
});

test("warns about deprecated and unknown settings", async () => {
  const unknown = ["--conf", "spark.kubernetes.driver.sercrets.db=/x"];
  const { out } = await doctor(...submitArgs, ...unknown, "local:///a.jar");
  expect(out).toMatch(/^warning +settings +Unknown setting spark\.kubernetes\.driver\.sercrets\.db/m);
});

test("reports an unknown option, and arguments without a submission", async () => {
  expect(await doctor(...submitArgs, "--driver-memry", "2g", "local:///a.jar")).toMatchObject({
    exit: 1,
    error: expect.stringContaining("--driver-memory"),
  });
  expect((await doctor("--kill", "ns:pod")).error).toContain("These arguments do not describe a submission.");
  expect((await doctor("--help")).out).toMatch(/^Usage: firesteel doctor \[options\] <spark-submit arguments>/);
});
