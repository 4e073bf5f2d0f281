import { join } from "node:path";
import { expect } from "vitest";
import { freePort } from "../acceptance/file-server.ts";
import { root } from "../acceptance/programs.ts";
import { type ChartShellInput, openShell } from "./chart-shell.ts";

/** Cluster that the chart is installed in. */
export interface ChartTarget extends ChartShellInput {
  readonly serverImage: string;
  /** Images that replace those in the printed commands, by these. */
  readonly images: Readonly<Record<string, string>>;
  /** Namespace of the server. */
  readonly namespace: string;
  /** Namespace of the drivers. */
  readonly drivers: string;
  /** Further arguments of Helm. */
  readonly values: readonly string[];
}

const chart = join(root, "deploy", "helm", "firesteel");

/**
 * Installs the chart, submits a local file by the commands that its notes print, upgrades the release, submits the file again, and
 * removes the release. Expects that each step succeeds, that the upgrade keeps the file, and that nothing remains.
 */
export async function runChartLifecycle(target: ChartTarget): Promise<void> {
  const { namespace, drivers } = target;
  const shell = openShell(target);
  const setting = ["--namespace", namespace, "--wait", "--timeout", "240s", ...target.values];
  const image = ["--set", `stagingServer.image=${target.serverImage}`, "--set", "stagingServer.store.pvc.size=1Gi"];
  const installed = await shell.succeed("helm", "install", "files", chart, ...setting, "--create-namespace", ...image);
  const port = await freePort();
  const commands = printedCommands(installed.stdout)
    .map((command) =>
      command.replaceAll("127.0.0.1:10000", `127.0.0.1:${port}`).replace(/ 10000:(\d+) /, ` ${port}:$1 `),
    )
    .map((command) =>
      Object.entries(target.images).reduce((text, [printed, own]) => text.replaceAll(printed, own), command),
    );
  const commandOf = (start: string) => {
    const command = commands.find((text) => text.startsWith(start));
    if (command === undefined) throw new Error(`the notes have no command ${start}: ${installed.stdout}`);
    return command;
  };
  expect(commandOf("firesteel image build")).toMatch(/ spark-init-container --tag \S+ --push$/);
  await shell.succeed("bash", "-c", commandOf("firesteel setup namespace"));
  await shell.succeed("bash", "-c", commandOf("kubectl create token"));

  // A node of two cores has room for the driver, its executors and the server.
  const small = ["driver", "executor"].map((role) => `--conf spark.kubernetes.${role}.request.cores=100m`).join(" ");
  const submission = commandOf("spark-submit").replace("spark-submit", `spark-submit ${small}`);
  shell.write("app.py", application);
  let forwarding = await shell.startUntil(commandOf("kubectl port-forward"), /Forwarding from/);
  const first = await shell.run("bash", "-c", submission.replace("spark-submit", "spark-submit --logs driver"));
  expect(first.stdout, first.stderr).toMatch(/^staged 4950 by \/opt\/spark-deps\/pyfiles\/app\.py$/m);
  expect(first.exit).toBe(0);
  forwarding.end();

  const changed = ["--reuse-values", "--set", "stagingServer.drainSeconds=5,stagingServer.podLabels.upgraded=yes"];
  await shell.succeed("helm", "upgrade", "files", chart, ...setting, ...changed);
  const pods = ["get", "pods", "--namespace", namespace, "--selector", "upgraded=yes", "-o", "name"];
  expect((await shell.succeed("kubectl", ...pods)).stdout).toMatch(/^pod\/\S+\n$/);
  forwarding = await shell.startUntil(commandOf("kubectl port-forward"), /Forwarding from/);
  const second = submission.replace(
    "spark-submit",
    "spark-submit --conf spark.kubernetes.submission.waitAppCompletion=false",
  );
  await shell.succeed("bash", "-c", second);
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(metrics).toContain('_count{route="POST /api/v1/bundles",status="201"} 1');
  expect(metrics).not.toMatch(/route="\w+ \/api\/v1\/uploads/);
  forwarding.end();

  await shell.succeed("helm", "uninstall", "files", "--namespace", namespace, "--wait", "--timeout", "240s");
  // Helm does not wait for the pods of a Deployment.
  const selected = ["--selector", "app.kubernetes.io/instance=files"];
  await shell.succeed("kubectl", "delete", "pods", "--namespace", namespace, ...selected, "--wait");
  const kinds =
    "deployments,pods,services,serviceaccounts,persistentvolumeclaims,poddisruptionbudgets,roles,rolebindings,clusterroles,clusterrolebindings";
  const left = ["get", kinds, "--all-namespaces", ...selected, "-o", "name"];
  expect((await shell.succeed("kubectl", ...left)).stdout).toBe("");
  await shell.succeed("kubectl", "delete", "namespace", namespace, drivers, "--wait=false");
}

const application = `
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
print("staged", spark.range(100).selectExpr("sum(id)").first()[0], "by", sys.argv[0])
`;

/** Returns the indented commands in the notes of a release. */
function printedCommands(output: string): readonly string[] {
  const notes = output.slice(output.indexOf("NOTES:"));
  return [...notes.matchAll(/^ {2}(\S(?:.*\\\n)*.*)$/gm)].map(([, command = ""]) => command);
}
