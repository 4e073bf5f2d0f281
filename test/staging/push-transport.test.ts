import { describe, expect, test } from "vitest";
import { apiNamespaces } from "../acceptance/api-namespaces.ts";
import { call } from "../acceptance/embedded-api.ts";
import { run, withSpark } from "../acceptance/programs.ts";
import { initContainerStatus, jobDirectory, pushArgs, secretText, startPushSubmission } from "./push-submission.ts";

describe("files that are pushed to a waiting init container", () => {
  const api = apiNamespaces("pushed");

  test("fail with SUBMIT_ERR_STAGING_UNDELIVERED and leave no objects when the pod never starts", async () => {
    const submitted = await startPushSubmission(api, { "spark.firesteel.staging.push.timeout": "2s" });
    const { exit, stderr } = await submitted.program.ended;
    expect(exit).toBe(1);
    expect(stderr).toContain("The driver pod driver did not receive the files of this machine: ");
    expect(stderr).toContain("It had 2 s to start its init container.");
    await submitted.gone();
  });

  test("leave no objects in the cluster after an interrupt", async () => {
    const submitted = await startPushSubmission(api);
    await submitted.created();
    submitted.program.child.kill("SIGINT");
    expect((await submitted.program.ended).exit).toBe(130);
    await submitted.gone();
  });

  test("report a pod that is deleted meanwhile", async () => {
    const submitted = await startPushSubmission(api);
    await submitted.created();
    await call(api.cluster(), "DELETE", `${submitted.pod}?gracePeriodSeconds=0`);
    const { exit, stderr } = await submitted.program.ended;
    expect(stderr).toContain("The driver pod driver did not receive the files of this machine: It was deleted.");
    expect(exit).toBe(1);
    await submitted.gone();
  });

  test("T75: report why the init container failed, also without waiting, and keep the pod", async () => {
    const submitted = await startPushSubmission(api);
    await submitted.created();
    const reason = { code: "noSpace", message: "4096 bytes are missing" };
    const terminated = { exitCode: 6, reason: "Error", message: JSON.stringify(reason) };
    await submitted.setStatus({ phase: "Failed", initContainerStatuses: [initContainerStatus({ terminated })] });
    const { exit, stderr } = await submitted.program.ended;
    expect(stderr).toMatch(/The init container firesteel-localize ended with exit status 6: .*4096 bytes are missing/);
    expect(exit).toBe(1);
    const kinds = (await submitted.objects()).map(({ kind }) => kind);
    expect(kinds).toContain("Pod");
    expect(kinds).toContain("Secret");
  });
});

describe("on the embedded cluster", () => {
  test("pushed files go through the API's port forwarding, and Spark finds them", async () => {
    const text = `
import sys
from pyspark.sql import SparkSession
SparkSession.builder.getOrCreate()
print("at", sys.argv[0], "with", open("conf.txt").read())
`;
    const args = ["--master", "k8s://embedded", "--deploy-mode", "cluster", "--logs", "driver", ...pushArgs({})];
    const { exit, stdout, stderr } = await run("spark-submit", args, {
      ...{ cwd: jobDirectory(text), env: withSpark({}) },
    });
    expect(stdout, stderr).toMatch(`at /opt/spark-deps/pyfiles/job.py with ${secretText}`);
    expect(stderr).toContain("by port forwarding of the Kubernetes API");
    expect(exit).toBe(0);
  });
});
