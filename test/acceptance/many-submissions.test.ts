import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startAcceptingApi } from "./accepting-api.ts";
import { root, temporaryDirectory } from "./programs.ts";

test("the example submits many times from one process over a few connections", async () => {
  const { server, kubeconfig, requests, connections } = await startAcceptingApi();
  const args = [
    ...["--master", `k8s://${server}`, "--deploy-mode", "cluster", "--class", "Main"],
    ...["--conf", "spark.kubernetes.container.image=spark"],
    ...["--conf", "spark.kubernetes.submission.waitAppCompletion=false", "local:///app.jar"],
  ];
  const script = join(root, "examples", "many-submissions", "submit-many.mjs");
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, "60", ...args], {
    env: { PATH: process.env["PATH"], HOME: temporaryDirectory(), KUBECONFIG: kubeconfig },
  });
  expect(stderr).toBe("");
  const output = stdout.trimEnd().split("\n");
  expect(new Set(output).size).toBe(60);
  expect(requests.filter((request) => request === "POST /api/v1/namespaces/default/pods")).toHaveLength(60);
  expect(connections()).toBeLessThan(60);
});
