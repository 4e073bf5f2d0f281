import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { kubeClient } from "../kube-client/client.ts";
import { adminToken, testApi } from "../local-cluster/test-api.ts";
import { runSparkSubmit } from "./commands/submit.ts";
import { passesDoctor } from "./passes-doctor.ts";
import { readCommandLine } from "./read-command-line.ts";

/** Submits with `--check` to the API of an embedded cluster, whose node has the image. @returns exit code, error output and pods */
async function submit(...options: readonly string[]) {
  const argv = [
    ...["--master", "k8s://https://h", "--deploy-mode", "cluster", "--class", "Main", "--check", ...options],
    ...[
      "--conf",
      "spark.kubernetes.container.image=img:1",
      "--conf",
      "spark.kubernetes.submission.waitAppCompletion=false",
    ],
    "local:///a.jar",
  ];
  const host = testHost({ argv, env: {} });
  const cluster = testApi(host);
  cluster.put("nodes", {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name: "one" }, spec: {} },
    status: { allocatable: { cpu: "4", memory: "8Gi" }, images: [{ names: ["docker.io/library/img:1"] }] },
  });
  cluster.put("resourcequotas", {
    ...{ apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "team", namespace: "default" } },
    spec: { hard: { pods: "3" } },
  });
  const headers = { authorization: `Bearer ${adminToken}` };
  const exit = await host.settle(
    runSparkSubmit(host, async () =>
      kubeClient({
        transport: (request) => cluster.api({ ...request, headers: { ...request.headers, ...headers } }),
        ...{ server: "https://h", clock: host.clock, requestTimeoutMs: 5000, log: () => {} },
      }),
    ),
  );
  return { exit, error: host.errorText(), pods: cluster.scope.store.list("pods").length };
}

test("--check submits if the checks pass, and shows their warnings", { tags: "long" }, async () => {
  const { exit, error, pods } = await submit(
    ...["--conf", "spark.kubernetes.authenticate.driver.serviceAccountName=spark"],
    ...["--conf", "spark.executor.instances=9"],
  );
  expect(error).toMatch(/^warning +quota +The quota team limits pods to 3, none of which is used: /m);
  expect([exit, pods]).toEqual([0, 1]);
});

test("--check does not prevent a submission that it cannot check, and says so", async () => {
  const argv = ["--check", "--master", "local[2]", "--class", "Main", "a.jar"];
  const host = testHost({ argv, env: {}, files: { "/home/tester/job/a.jar": "" } });
  const { invocation, issues } = await readCommandLine(host);
  if (invocation.action !== "submit") throw new Error("not a submission");
  const input = { invocation, issues, localSpark: () => undefined };
  expect(await host.settle(passesDoctor({ host, input }))).toBe(true);
  expect(host.errorText()).toMatch(/^skipped arguments .*local\[2\] in client mode\.\nNothing was checked: /);
});

test("--check submits nothing if the submission will fail", async () => {
  const { exit, error, pods } = await submit("--conf", "spark.kubernetes.namespace=gone");
  expect(error).toMatch(/^FAILURE +namespace +The namespace gone does not exist\./m);
  expect(error).toMatch(/\nNothing was submitted\.\n$/);
  expect([exit, pods]).toEqual([1, 0]);
});
