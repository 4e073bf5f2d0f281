import { expect, test } from "vitest";
import type { ChildScript } from "../../host/test-children.ts";
import { testHost } from "../../host/test-host.ts";
import { sparkFiles } from "../../masters/jvm/test-launch.ts";
import { main } from "../main.ts";
import { applicationText } from "./test-application.ts";

const spec = "  mode: client\n  sparkVersion: 4.3.0\n  executor: {env: [{name: X, value: '1'}], sidecars: [{name: s}]}";

/** Applies a file on a machine with a local Spark. Its JVM ends with the exit code 3, unless a test ends it. */
async function apply(text: string, options: readonly string[] = [], script: ChildScript = (child) => child.exit(3)) {
  const started: { readonly args: readonly string[]; readonly template: string | undefined }[] = [];
  const host = testHost({
    argv: ["apply", "-f", "app.yaml", "--master", "k8s://https://h:6443", ...options],
    files: { ...sparkFiles, "/w/app.yaml": text },
    env: { SPARK_HOME: "/spark", JAVA_HOME: "/java", FIRESTEEL_STATE: "/state" },
    cwd: "/w",
    spawn: (child) => {
      if (!child.command.endsWith("/java")) return child.exit(0);
      const path = /podTemplateFile=(\S+)/.exec(child.args.join(" "))?.[1];
      started.push({ args: child.args, template: path && host.files.readText(path) });
      return script(child);
    },
  });
  const exit = await host.settle(main(host));
  return { exit, host, started, out: host.outText(), error: host.errorText() };
}

test("mode client runs the driver in a JVM of this machine, with the executors' template as a file", async () => {
  const { exit, host, started, error } = await apply(applicationText(spec));
  expect(exit).toBe(3);
  const [{ args, template } = { args: [], template: undefined }] = started;
  expect(args.join(" ")).toContain("SparkSubmit --master k8s://https://h:6443 --deploy-mode client");
  expect(args).toContain("spark.kubernetes.namespace=jobs");
  expect(args.filter((arg) => arg.startsWith("spark.kubernetes.driver.pod.name"))).toEqual([]);
  expect(JSON.parse(template ?? "{}")).toMatchObject({ spec: { containers: [{}, { name: "s" }] } });
  expect(error).toContain("app.yaml: pi runs its driver on this machine (mode: client)\n");
  expect(error).toContain("app.yaml: pi failed\n");
  expect(host.files.list("/state/inside") ?? []).toEqual([]);
});

test("mode client repeats the driver with --watch as restartPolicy says", async () => {
  const policy = "\n  restartPolicy: {type: OnFailure, onFailureRetries: 2, onFailureRetryInterval: 1}";
  const { exit, started, out } = await apply(applicationText(spec + policy), ["--watch", "--json"]);
  expect([exit, started.length]).toEqual([3, 3]);
  expect(out).toBe('{"application":"pi","action":"failed"}\n');
  const ended = await apply(applicationText(spec + policy), ["--watch"], (child) => child.exit(0));
  expect([ended.exit, ended.started.length]).toEqual([0, 1]);
});

test("mode client names fields of the driver's pod that have no effect, and starts nothing while suspended", async () => {
  const text = applicationText(`${spec}\n  driver: {cores: 1, labels: {a: b}, volumeMounts: []}\n  suspend: true`);
  const { exit, started, error } = await apply(text);
  expect([exit, started]).toEqual([0, []]);
  expect(error).toContain("These fields have no effect: spec.driver.labels, spec.driver.volumeMounts.\n");
  expect(error).toContain("app.yaml: pi suspended\n");
});

test("mode client is rejected with objects that a driver's pod would own, and in schedules", async () => {
  const monitoring = "exposeDriverMetrics: true, exposeExecutorMetrics: true, prometheus: {jmxExporterJar: /j.jar}";
  const { exit, started, error } = await apply(applicationText(`${spec}\n  monitoring: {${monitoring}}`));
  expect([exit, started]).toEqual([1, []]);
  expect(error).toContain(
    "spec.mode is client, but the driver must be a pod that owns the ConfigMap pi-prom-conf.\n" +
      "Hint: Use cluster, or remove spec.monitoring.prometheus.",
  );
  const lines = applicationText(spec).split("\n");
  const at = lines.indexOf("spec:");
  const schedule = [
    ...lines.slice(0, at).map((line) => line.replace("kind: Spark", "kind: ScheduledSpark")),
    ...["spec:", "  schedule: '* * * * *'", "  template:"],
    ...lines.slice(at + 1).map((line) => `  ${line}`),
  ].join("\n");
  const scheduled = await apply(schedule, ["--watch"]);
  expect([scheduled.exit, scheduled.started]).toEqual([1, []]);
  expect(scheduled.error).toContain("spec.template.mode is client, but the runs of a schedule must be pods");
});
