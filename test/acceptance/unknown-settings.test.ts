import { expect, test } from "vitest";
import { startAcceptingApi } from "./accepting-api.ts";
import { run } from "./programs.ts";

test("only misspelled settings, and those of other lines, are reported as unknown", async () => {
  const { server, kubeconfig } = await startAcceptingApi();
  const settings = [
    "spark.kubernetes.container.image=spark",
    "spark.kubernetes.driver.limit.cores=1",
    "spark.kubernetes.namespce=jobs",
    "spark.kubernetes.executor.label.team=data",
    "spark.kubernetes.submission.waitAppCompletion=false",
  ];
  const args = ["--master", `k8s://${server}`, "--deploy-mode", "cluster", "--class", "Main"];
  const conf = settings.flatMap((setting) => ["--conf", setting]);
  const { exit, stderr } = await run("spark-submit", [...args, ...conf, "local:///app.jar"], {
    env: { KUBECONFIG: kubeconfig },
  });
  expect(exit, stderr).toBe(0);
  expect(stderr.match(/Unknown setting \S+/g)).toEqual(["Unknown setting spark.kubernetes.namespce"]);
  expect(stderr).toContain("Did you mean spark.kubernetes.namespace?");
});
