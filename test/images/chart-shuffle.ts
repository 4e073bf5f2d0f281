import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect } from "vitest";
import { root } from "../acceptance/programs.ts";
import {
  idleExecutors,
  idleSettings,
  killExecutors,
  shuffleJob,
  shuffleJobSettings,
  waitingLine,
  waitUntilFile,
} from "../spark/shuffle-job.ts";
import { type ChartShellInput, openShell } from "./chart-shell.ts";

/** Cluster that the chart with the shuffle service is installed in. */
export interface ShuffleTarget extends ChartShellInput {
  readonly master: string;
  readonly serverImage: string;
  /** Namespace of the service. */
  readonly namespace: string;
  /** Existing namespace of the drivers, with the account `spark`. */
  readonly drivers: string;
  /** Directory of the nodes for shuffle files, and for the state. */
  readonly directories: { readonly files: string; readonly state: string };
  readonly ports: { readonly service: number; readonly metrics: number };
  /** Further values of the chart. */
  readonly values: readonly string[];
  /** Images of Spark, with their lines. */
  readonly distributions: readonly { readonly image: string; readonly line: string }[];
}

const chart = join(root, "deploy", "helm", "firesteel");
/** Returns the DaemonSet of the release in a namespace, which have the same name: tests at the same cluster have releases of their own. */
const daemonSetOf = (namespace: string) => `daemonset/${namespace}-shuffle-service`;

/**
 * Installs the chart with the shuffle service and one secret for all applications. For each Spark, runs a job with static and one with
 * dynamic allocation, whose executors end between the stages, and replaces the service's pods then. Expects that no map task runs
 * twice, that the files go after the driver has ended, and that nothing of the release remains.
 */
export async function runChartShuffle(target: ShuffleTarget): Promise<void> {
  const { namespace, drivers, directories, ports } = target;
  const shell = openShell(target);
  const inNamespace = ["--namespace", namespace];
  await shell.succeed("kubectl", "create", "namespace", namespace);
  await shell.succeed("kubectl", "label", "namespace", namespace, "pod-security.kubernetes.io/enforce=privileged");
  shell.write("secret", randomBytes(32).toString("hex"));
  for (const each of [namespace, drivers])
    await shell.succeed("kubectl", "create", "secret", "generic", "shuffle", "--namespace", each, "--from-file=secret");
  const values = [
    `fullnameOverride=${namespace}`,
    ...["stagingServer.enabled=false", "shuffleService.enabled=true", `shuffleService.image=${target.serverImage}`],
    ...["shuffleService.authentication.type=shared", "shuffleService.authentication.secretName=shuffle"],
    ...[`shuffleService.directories={${directories.files}}`, `shuffleService.stateDirectory=${directories.state}`],
    ...[`shuffleService.port=${ports.service}`, `shuffleService.metricsPort=${ports.metrics}`],
    ...["shuffleService.options.retention=1s", "shuffleService.options.clean-interval=1s"],
    ...["shuffleService.resources.requests.cpu=50m", ...target.values],
  ];
  const sets = values.flatMap((value) => ["--set", value]);
  await shell.succeed("helm", "install", namespace, chart, ...inNamespace, "--wait", "--timeout", "240s", ...sets);
  const log = await shell.succeed(
    "kubectl",
    "logs",
    ...inNamespace,
    daemonSetOf(namespace),
    "--container",
    "shuffle-service",
  );
  expect(log.stdout).toContain('"sendsFiles":"directly"');

  for (const spark of target.distributions) {
    for (const allocation of ["static", "dynamic"] as const) await runJob(target, shell, { ...spark, allocation });
  }

  await shell.succeed("helm", "uninstall", namespace, ...inNamespace, "--wait", "--timeout", "240s");
  const selected = ["--selector", `app.kubernetes.io/instance=${namespace}`];
  await shell.succeed("kubectl", "delete", "pods", ...inNamespace, ...selected, "--wait");
  const kinds = "daemonsets,pods,configmaps,serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings";
  const left = ["get", kinds, "--all-namespaces", ...selected, "-o", "name"];
  expect((await shell.succeed("kubectl", ...left)).stdout).toBe("");
  await shell.succeed("kubectl", "delete", "namespace", namespace, "--wait=false");
}

interface Job {
  readonly image: string;
  readonly line: string;
  readonly allocation: "static" | "dynamic";
}

async function runJob(
  { master, namespace, drivers, directories, ports }: ShuffleTarget,
  shell: ReturnType<typeof openShell>,
  { image, line, allocation }: Job,
): Promise<void> {
  const name = `shuffle-${line.replace(".", "-")}-${allocation}`;
  const isDynamic = allocation === "dynamic";
  shell.write(`${name}.py`, shuffleJob(waitUntilFile(isDynamic ? idleExecutors : killExecutors, "/tmp/go-on")));
  const settings = [
    ...shuffleJobSettings,
    ...[`spark.kubernetes.namespace=${drivers}`, "spark.kubernetes.authenticate.driver.serviceAccountName=spark"],
    ...[`spark.kubernetes.container.image=${image}`, `spark.kubernetes.driver.pod.name=${name}`],
    // A node of two cores has capacity for the driver, its executors and the service.
    ...["driver", "executor"].map((role) => `spark.kubernetes.${role}.request.cores=100m`),
    ...["spark.firesteel.shuffle=service", `spark.firesteel.shuffle.directories=${directories.files}`],
    `spark.shuffle.service.port=${ports.service}`,
    ...(isDynamic ? idleSettings : ["spark.dynamicAllocation.enabled=false"]),
    ...["spark.authenticate=true", "spark.authenticate.secret.file=/etc/shuffle/secret"],
    ...["driver", "executor"].map((role) => `spark.kubernetes.${role}.secrets.shuffle=/etc/shuffle`),
  ];
  const conf = settings.flatMap((setting) => ["--conf", setting]);
  const submission = ["--master", master, "--deploy-mode", "cluster", "--logs", "driver", ...conf, `${name}.py`];
  const inNamespace = ["--namespace", namespace];
  const { exit, stdout, stderr } = await shell.runWithAction(
    ["env", `FIRESTEEL_SPARK_VERSION=${line}`, "spark-submit", ...submission],
    waitingLine,
    async () => {
      await shell.succeed("kubectl", "rollout", "restart", daemonSetOf(namespace), ...inNamespace);
      // The second stage runs while the pods are replaced.
      await shell.succeed("kubectl", "exec", name, "--namespace", drivers, "--", "touch", "/tmp/go-on");
      await shell.succeed("kubectl", "rollout", "status", daemonSetOf(namespace), ...inNamespace, "--timeout", "240s");
    },
  );
  expect(stdout, stderr).toMatch(/^ended True$/m);
  expect(stdout).toMatch(/^result True$/m);
  expect(stdout).toMatch(/^map tasks 4$/m);
  expect(stdout).toMatch(/^replaced True$/m);
  expect(exit).toBe(0);
  const appId = await shell.succeed(
    ...(["kubectl", "get", "pod", name, "--namespace", drivers] as const),
    ...["-o", "jsonpath={.metadata.labels.spark-app-selector}"],
  );
  const follow = `kubectl logs --follow --namespace ${namespace} ${daemonSetOf(namespace)} --container shuffle-service`;
  const removal = await shell.startUntil(follow, new RegExp(`"appId":"${appId.stdout}","reason":"driverEnded"`));
  removal.end();
}
