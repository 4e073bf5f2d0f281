import { afterAll, beforeAll, expect } from "vitest";
import { run } from "../acceptance/programs.ts";
import { connectJob, fetchConnectClient, runConnectClient } from "../peers/connect-client.ts";
import { testWith } from "../test-with.ts";
import { type RealNamespace, realNamespace } from "./real-cluster.ts";

const kubeconfig = process.env["FIRESTEEL_REAL_KUBECONFIG"] ?? "";
const image = process.env["FIRESTEEL_REAL_IMAGE"] ?? "spark:4.3.0";
let namespace: RealNamespace;

beforeAll(async () => {
  namespace = await realNamespace(kubeconfig);
});

afterAll(() => namespace.remove());

testWith(fetchConnectClient())("PySpark runs a job on a server in a real cluster", async () => {
  const env = { KUBECONFIG: kubeconfig };
  const settings = [
    `spark.kubernetes.namespace=${namespace.name}`,
    `spark.kubernetes.container.image=${image}`,
    "spark.kubernetes.authenticate.driver.serviceAccountName=spark",
    "spark.executor.instances=1",
  ].flatMap((setting) => ["--conf", setting]);
  const options = ["--detach", "--port", "0", "--idle-timeout", "5m", "--name", "real"];
  const started = await run("firesteel", ["connect", "start", ...options, ...settings], { env });
  expect(started.exit, started.stderr).toBe(0);
  const output = runConnectClient(connectJob, started.stdout.trim());
  expect(output.trim().split("\n")).toEqual(["[Row(sum(id)=499500)]", "[Row(sum(x)=55)]"]);
  const stopped = await run("firesteel", ["connect", "stop", "--all", "-n", namespace.name], { env });
  expect(stopped).toMatchObject({ exit: 0, stdout: expect.stringContaining("stopped\n") });
});
