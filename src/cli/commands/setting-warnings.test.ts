import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { adminToken, testApi } from "../../local-cluster/test-api.ts";
import { runDoctorCommand } from "./doctor.ts";
import { runExplainCommand } from "./explain.ts";
import { runRenderCommand } from "./render.ts";
import { runSparkSubmit } from "./submit.ts";

const settings = {
  "spark.kubernetes.container.image": "img:1",
  "spark.kubernetes.containr.image": "img:1",
  "spark.kubernetes.submission.waitAppCompletion": "false",
  "spark.firesteel.startTimeout": "5min",
  "spark.kubernetes.executor.docker.image": "img:1",
  "spark.rpc.numRetries": "3",
  "spark.dynamicAlocation.enabled": "true",
};
const argv = [
  ...["--master", "k8s://https://h", "--deploy-mode", "cluster", "--class", "Main"],
  ...Object.entries(settings).flatMap(([key, value]) => ["--conf", `${key}=${value}`]),
  "local:///a.jar",
];

type Run = (host: ReturnType<typeof testHost>, openClient: () => Promise<ReturnType<typeof kubeClient>>) => unknown;

/** Runs a command with the API of an embedded cluster. @returns its warnings about settings, sorted */
async function warningsOf(run: Run): Promise<readonly string[]> {
  const host = testHost({ argv, env: {} });
  const cluster = testApi(host);
  const headers = { authorization: `Bearer ${adminToken}` };
  const openClient = async () =>
    kubeClient({
      transport: (request) => cluster.api({ ...request, headers: { ...request.headers, ...headers } }),
      ...{ server: "https://h", clock: host.clock, requestTimeoutMs: 5000, log: () => {} },
    });
  await host.settle(Promise.resolve(run(host, openClient)));
  const lines = `${host.outText()}\n${host.errorText()}`.split("\n");
  return lines
    .flatMap((line) => / WARN SparkConf: (.*)$|^warning +settings +(.*)$/.exec(line)?.slice(1) ?? [])
    .filter((text) => text !== undefined)
    .sort();
}

test("render, explain and doctor print the warnings of a submission", { tags: "long" }, async () => {
  const warnings = await warningsOf((host, openClient) => runSparkSubmit(host, openClient));
  expect(warnings).toEqual([
    expect.stringContaining("'spark.rpc.numRetries' has been deprecated"),
    expect.stringContaining("spark.firesteel.startTimeout has no effect"),
    expect.stringContaining("spark.kubernetes.executor.docker.image of the first releases is deprecated"),
    expect.stringContaining("Unknown setting spark.dynamicAlocation.enabled"),
    expect.stringContaining("Unknown setting spark.kubernetes.containr.image"),
  ]);
  expect(await warningsOf((host) => runRenderCommand(host, argv))).toEqual(warnings);
  expect(await warningsOf((host) => runExplainCommand(host, argv))).toEqual(warnings);
  expect(await warningsOf((host, openClient) => runDoctorCommand(host, argv, openClient))).toEqual(warnings);
});
