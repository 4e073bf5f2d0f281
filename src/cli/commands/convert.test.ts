import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { main } from "../main.ts";
import { applicationText, runWithFiles } from "./test-application.ts";

const submission = [
  ...["--master", "k8s://https://api", "--deploy-mode", "cluster", "--class", "Main", "--driver-memory", "2g"],
  ...["--conf", "spark.kubernetes.container.image=reg/spark:4.1.2", "--conf", "spark.executor.cores=2"],
];

function notesOf(error: string): readonly string[] {
  return error.split("\n").flatMap((line) => (line.startsWith("Note: ") ? [line.slice("Note: ".length)] : []));
}

async function convert(to: string, args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const { exit, out, error } = await runWithFiles(["convert", "--to", to, ...args], files);
  return { exit, out, notes: notesOf(error), error };
}

describe("a command line as a SparkApplication", () => {
  test("has fields for settings, and leaves the others in sparkConf", async () => {
    const { exit, out, notes } = await convert("spark-application", [
      ...submission,
      ...["--name", "My Job", "--jars", "local:///x.jar", "--conf", "spark.sql.shuffle.partitions=10"],
      ...[
        "--conf",
        "spark.executorEnv.STAGE=no",
        "--conf",
        "spark.hadoop.fs.x=1",
        "--conf",
        "spark.firesteel.logs=all",
      ],
      ...["--conf", "spark.kubernetes.node.selector.a=b", "--conf", "spark.kubernetes.driver.node.selector.c=d"],
      ...["local:///a.jar", "1", "no"],
    ]);
    expect(exit).toBe(0);
    expect(load(out)).toMatchObject({
      metadata: { name: "my-job" },
      spec: {
        ...{ type: "Scala", sparkVersion: "4.1.2", image: "reg/spark:4.1.2", mainClass: "Main" },
        ...{ mainApplicationFile: "local:///a.jar", arguments: ["1", "no"], deps: { jars: ["local:///x.jar"] } },
        hadoopConf: { "fs.x": "1" },
        driver: { memory: "2g", nodeSelector: { a: "b", c: "d" } },
        executor: { cores: 2, instances: 2, env: [{ name: "STAGE", value: "no" }], nodeSelector: { a: "b" } },
        sparkConf: { "spark.sql.shuffle.partitions": "10" },
      },
    });
    expect(out).toContain("value: 'no'");
    expect(notes).toEqual([
      "The name My Job is now my-job: the operator requires a DNS label.",
      "spark.firesteel.logs is left out: the Spark operator does not read it. For firesteel apply, put it into spec.sparkConf.",
      "--master k8s://https://api is left out: the operator uses the cluster in which it runs.",
    ]);
  });

  test("has volumes on whose source the roles agree, and inlined templates", async () => {
    const volume = (role: string, option: string, value: string) => [
      "--conf",
      `spark.kubernetes.${role}.volumes.${option}=${value}`,
    ];
    const { out } = await convert(
      "spark-application",
      [
        ...submission,
        ...volume("driver", "nfs.d.options.server", "s"),
        ...volume("driver", "nfs.d.options.path", "/p"),
        ...volume("driver", "nfs.d.mount.path", "/d"),
        ...volume("executor", "nfs.d.options.server", "s"),
        ...volume("executor", "nfs.d.options.path", "/p"),
        ...volume("executor", "nfs.d.mount.path", "/e"),
        ...volume("executor", "nfs.d.mount.readOnly", "true"),
        ...volume("driver", "emptyDir.x.mount.path", "/x"),
        ...volume("executor", "hostPath.x.mount.path", "/x"),
        ...volume("executor", "hostPath.x.options.path", "/x"),
        ...volume("executor", "persistentVolumeClaim.c.options.claimName", "OnDemand"),
        ...volume("executor", "persistentVolumeClaim.c.mount.path", "/c"),
        ...["--conf", "spark.kubernetes.driver.podTemplateFile=t.yaml", "local:///a.py"],
      ],
      { "t.yaml": "spec: {containers: [{name: main, env: [{name: A, value: b}]}]}" },
    );
    expect(load(out)).toMatchObject({
      spec: {
        type: "Python",
        volumes: [{ name: "d", nfs: { server: "s", path: "/p" } }],
        driver: {
          volumeMounts: [{ name: "d", mountPath: "/d" }],
          template: { spec: { containers: [{ name: "spark-kubernetes-driver", env: [{ name: "A", value: "b" }] }] } },
        },
        executor: { volumeMounts: [{ name: "d", mountPath: "/e", readOnly: true }] },
        sparkConf: {
          "spark.kubernetes.driver.volumes.emptyDir.x.mount.path": "/x",
          "spark.kubernetes.executor.volumes.hostPath.x.options.path": "/x",
          "spark.kubernetes.executor.volumes.persistentVolumeClaim.c.options.claimName": "OnDemand",
        },
      },
    });
  });

  test("names files of this machine, and a version that it assumes", async () => {
    const { notes } = await convert("spark-application", ["--class", "Main", "job.jar"]);
    expect(notes).toEqual([
      expect.stringMatching(/^spec\.sparkVersion is 4\.\d+\.\d+: the source names no version\.$/),
      expect.stringContaining("job.jar is a file of this machine"),
    ]);
  });
});

describe("a SparkApplication as a command line", () => {
  test("needs templates for fields that only a webhook has, and lists what is lost", async () => {
    const text = applicationText(
      "  restartPolicy: {type: Always}\n  driver: {memoryLimit: 3g, tolerations: [{key: k}]}\n  executor: {cores: 2}",
    );
    const host = testHost({
      argv: ["convert", "--to", "command", "-f", "app.yaml", "--templates", "t"],
      files: { "/w/app.yaml": text },
      cwd: "/w",
    });
    expect(await main(host)).toBe(0);
    expect(host.outText()).toContain("--conf 'spark.kubernetes.driver.podTemplateFile=t/pi-driver-template.json'");
    expect(host.outText()).toMatch(/local:\/\/\/opt\/app\/job\.jar\n$/);
    expect(JSON.parse(host.files.readText("/w/t/pi-driver-template.json") ?? "")).toMatchObject({
      spec: { tolerations: [{ key: "k" }] },
    });
    expect(notesOf(host.errorText())).toEqual([
      "The operator also creates Service pi-ui-svc.",
      expect.stringContaining("spec.driver.memoryLimit has no effect"),
      "The pod template of the driver is in t/pi-driver-template.json.",
      "restartPolicy is left out: spark-submit runs an application once.",
    ]);
    const { notes } = await convert("command", ["-f", "app.yaml"], { "app.yaml": text });
    expect(notes).toContain(
      "The driver needs the pod template ./pi-driver-template.json: write it with --templates DIR.",
    );
  });

  test("can be JSON with its notes", async () => {
    const { out } = await convert("command", ["--json", "-f", "app.yaml"], { "app.yaml": applicationText() });
    const { result, notes } = JSON.parse(out);
    expect(result.slice(0, 6)).toEqual(["--deploy-mode", "cluster", "--name", "pi", "--class", "org.example.Job"]);
    expect(notes).toEqual(["The operator also creates Service pi-ui-svc."]);
  });
});

test("the own format and a command line are converted into each other", async () => {
  const own = await convert("own", [...submission, "--name", "job", "--packages", "g:a:1", "local:///a.jar", "x"]);
  expect(load(own.out)).toEqual({
    ...{ name: "job", app: "local:///a.jar", class: "Main", args: ["x"], master: "k8s://https://api" },
    ...{ image: "reg/spark:4.1.2", packages: ["g:a:1"] },
    conf: { "spark.driver.memory": "2g", "spark.executor.cores": "2" },
  });
  const command = await convert("command", ["--json", "-f", "job.yaml"], { "job.yaml": own.out });
  expect(JSON.parse(command.out).result).toEqual([
    ...["--master", "k8s://https://api", "--deploy-mode", "cluster", "--name", "job", "--class", "Main"],
    ...["--packages", "g:a:1", "--conf", "spark.driver.memory=2g", "--conf", "spark.executor.cores=2"],
    ...["--conf", "spark.kubernetes.container.image=reg/spark:4.1.2"],
    ...["--conf", "spark.kubernetes.driver.pod.name=job-driver", "local:///a.jar", "x"],
  ]);
});

test("firesteel convert rejects unknown formats, and files with several documents", async () => {
  expect((await convert("yaml", ["-f", "a"])).error).toContain("--to");
  expect((await runWithFiles(["convert"], {})).error).toContain("firesteel convert requires the format of the result.");
  const two = await convert("own", ["-f", "a.yaml"], { "a.yaml": "name: a\n---\nname: b\n" });
  expect(two.error).toContain("a.yaml contains 2 documents.\nHint: Use a file with one application.");
  const both = await convert("own", ["-f", "a.yaml", "--file", "b.yaml"]);
  expect(both.error).toContain("-f a.yaml and --file b.yaml exclude each other.");
});

test("firesteel convert without an application names its file and the arguments", async () => {
  const { exit, error } = await convert("own", []);
  expect(exit).toBe(1);
  expect(error).toContain("firesteel convert requires an application.");
  expect(error).toContain("-f FILE, or spark-submit arguments");
});

test("files and templates that cannot be converted are not left out silently", async () => {
  const template = (uri: string) => ["--conf", `spark.kubernetes.driver.podTemplateFile=${uri}`];
  const missing = await convert("own", [...submission, ...template("none.yaml"), "local:///a.jar"]);
  expect([missing.exit, missing.error.includes("none.yaml")]).toEqual([1, true]);
  const remote = await convert("own", [...submission, ...template("https://h/t.yaml"), "local:///a.jar"]);
  expect([remote.exit, remote.error.includes("only files of this machine can be converted")]).toEqual([1, true]);
  const local = await convert("own", [...submission, ...template("file:///w/t.yaml"), "local:///a.jar"], {
    "t.yaml": "spec: {hostNetwork: true}",
  });
  expect([local.exit, local.notes.join().includes("needs the pod template")]).toEqual([0, true]);
  const both = await convert("own", ["-f", "app.yaml", "--conf", "spark.a=b"], { "app.yaml": applicationText() });
  expect([both.exit, both.error]).toEqual([
    1,
    "Error: --file and --conf exclude each other.\nHint: Remove one of them.\n",
  ]);
});

test("client mode is kept in both directions, and a note says that the own format has none", async () => {
  const client = ["--master", "k8s://https://api", "--deploy-mode", "client", "--name", "job", "local:///a.py"];
  const { out } = await convert("spark-application", client);
  expect(load(out)).toMatchObject({ spec: { mode: "client" } });
  const back = await convert("command", ["-f", "a.yaml"], { "a.yaml": out });
  expect(back.out).toContain("spark-submit --deploy-mode client \\\n");
  const setting = ["--conf", "spark.submit.deployMode=client", "local:///a.py"];
  expect((await convert("own", setting)).notes).toEqual([
    "Client mode is left out: applications in this format run in cluster mode.",
  ]);
});

test("pod templates that an application in the own format names are kept", async () => {
  const own = "name: job\napp: local:///a.py\nconf: {spark.kubernetes.driver.podTemplateFile: ./t.yaml}\n";
  const files = { "job.yaml": own, "t.yaml": "spec: {priorityClassName: high}" };
  const { out } = await convert("spark-application", ["-f", "job.yaml"], files);
  expect(load(out)).toMatchObject({ spec: { driver: { template: { spec: { priorityClassName: "high" } } } } });
  const command = await convert("command", ["--templates", "/t", "-f", "job.yaml"], files);
  expect(command.out).toContain("spark.kubernetes.driver.podTemplateFile=/t/job-driver-template.json");
  const missing = await convert("command", ["-f", "job.yaml"], { "job.yaml": own });
  expect([missing.exit, missing.error]).toEqual([1, expect.stringContaining("./t.yaml")]);
});

test("the settings of the profile that an application in the own format names are included", async () => {
  const files = {
    "job.yaml": "name: job\napp: local:///a.py\nprofile: prod\nconf: {spark.executor.cores: 2}\n",
    "firesteel.yaml":
      "profiles: {prod: {spark.executor.cores: 4, spark.executor.memory: 2g, spark.master: 'k8s://https://h'}}",
  };
  const { out, notes } = await convert("command", ["-f", "job.yaml"], files);
  expect(out).toContain("spark-submit --master k8s://https://h \\\n");
  expect(out).toContain("spark.executor.cores=2");
  expect(out).toContain("spark.executor.memory=2g");
  expect(notes).toEqual(["The settings of the profile prod are included."]);
});
