import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startAcceptingApi } from "../acceptance/accepting-api.ts";
import { run, temporaryDirectory, withSpark } from "../acceptance/programs.ts";
import { zip } from "../golden/zip.ts";

const cluster = ["--master", "k8s://https://127.0.0.1:1", "--deploy-mode", "cluster", "--name", "files"];
const image = ["--conf", "spark.kubernetes.container.image=spark"];
const directory = (path: string) => ["--conf", `spark.firesteel.staging.directory=${path}`];

const jarOf = (mainClass?: string) =>
  zip({
    "META-INF/MANIFEST.MF": `Manifest-Version: 1.0\r\n${mainClass === undefined ? "" : `Main-Class: ${mainClass}\r\n`}\r\n`,
  });

/** Creates a directory with files by name. */
function directoryOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const directory = temporaryDirectory();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  return directory;
}

async function render(cwd: string, ...args: readonly string[]) {
  const outcome = await run("firesteel", ["render", "-o", "json", "--seed", "one", ...cluster, ...image, ...args], {
    cwd,
  });
  return { ...outcome, driver: outcome.exit === 0 ? driverOf(outcome.stdout) : undefined };
}

function driverOf(text: string) {
  const { items } = JSON.parse(text);
  const labelled = (item: { kind: string; metadata: { labels?: Record<string, string> } }) =>
    item.kind === "Pod" && item.metadata.labels?.["spark-role"] === "driver";
  const { spec } = items.find(labelled);
  return { container: spec.containers[0], volumes: spec.volumes };
}

describe("files of the submitter's machine", () => {
  test("T71 the main class comes from the jar's manifest; without one the submission fails before any API request", async () => {
    const api = await startAcceptingApi();
    const cwd = directoryOf({ "main.jar": jarOf("a.Main"), "no-main.jar": jarOf() });
    const withMain = await render(cwd, "main.jar");
    expect(withMain.driver?.container.args).toEqual(expect.arrayContaining(["--class", "a.Main"]));
    const withoutMain = await run(
      "spark-submit",
      ["--master", `k8s://${api.server}`, ...cluster.slice(2), ...image, "no-main.jar"],
      { cwd, env: { KUBECONFIG: api.kubeconfig } },
    );
    expect(withoutMain.exit).not.toBe(0);
    expect(withoutMain.stderr).toContain("--class");
    expect(api.requests).toEqual([]);
  });

  test("T72 two jars with the same name and different content get separate names", async () => {
    const cwd = directoryOf({ "main.jar": jarOf("a.Main") });
    const directories = [directoryOf({ "same.jar": jarOf("one.A") }), directoryOf({ "same.jar": jarOf("two.B") })];
    const jars = directories.map((directory) => join(directory, "same.jar")).join(",");
    const { exit, stdout } = await render(cwd, "--jars", jars, "main.jar");
    expect(exit).toBe(0);
    const names = new Set(stdout.match(/(?<=\/)same[^/",\\]*\.jar/g));
    expect(names.size).toBe(2);
  });

  test("T72 both jars are on the driver's class path and are served to executors", async () => {
    const script = `
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
loader = spark._jvm.org.apache.spark.util.Utils.getContextOrSparkClassLoader()
print("found", [loader.getResource(name) is not None for name in ("one.txt", "two.txt", "three.txt")])
print("served", spark.sparkContext._jsc.sc().listJars().mkString(" "))
`;
    const cwd = directoryOf({ "job.py": script });
    const directories = [
      directoryOf({ "same.jar": zip({ "one.txt": "1" }) }),
      directoryOf({ "same.jar": zip({ "two.txt": "2" }) }),
    ];
    const jars = directories.map((directory) => join(directory, "same.jar")).join(",");
    const args = ["--master", "k8s://embedded", ...cluster.slice(2), ...image, "--logs", "driver"];
    const { exit, stdout, stderr } = await run("spark-submit", [...args, "--jars", jars, "job.py"], {
      ...{ cwd, env: withSpark({}) },
    });
    expect(stdout, stderr).toContain("found [True, True, False]");
    const served = /^.*served (.*)$/m.exec(stdout)?.[1]?.split(" ") ?? [];
    expect(served.map((jar) => jar.replace(/^spark:.*\//, ""))).toEqual([
      expect.stringMatching(/^same[^/]*\.jar$/),
      expect.stringMatching(/^same[^/]*\.jar$/),
    ]);
    expect(exit).toBe(0);
  }, 300_000);

  test.each(["/opt/spark/work-dir", "/opt/spark/work-dir/deps"])(
    "T73 the staging directory %s is rejected because Spark removes it",
    async (path) => {
      const cwd = directoryOf({ "job.py": "", "a.txt": "a" });
      const { exit, stdout, stderr } = await render(cwd, ...directory(path), "--files", "a.txt", "job.py");
      expect([exit === 0, stdout]).toEqual([false, ""]);
      expect(stderr).toContain("spark.firesteel.staging.directory");
    },
  );

  test("T74 a read-only root file system gets a writable working directory", async () => {
    const template = `apiVersion: v1
kind: Pod
spec:
  containers:
  - name: driver
    securityContext: {readOnlyRootFilesystem: true}
`;
    const cwd = directoryOf({ "job.py": "", "a.txt": "a", "pod.yaml": template });
    const args = ["--conf", "spark.kubernetes.driver.podTemplateFile=pod.yaml", "--files", "a.txt", "job.py"];
    const { driver } = await render(cwd, ...args);
    const mount = driver?.container.volumeMounts.find(
      ({ mountPath }: { mountPath: string }) => mountPath === "/opt/spark/work-dir",
    );
    expect(driver?.volumes).toContainEqual({ name: mount?.name, emptyDir: {} });
  });

  test("T79 files up to the limit go in Secrets; larger files, invalid names and duplicates are rejected", async () => {
    const limit = ["--conf", "spark.firesteel.staging.secret.maxSize=4096"];
    const transport = ["--conf", "spark.firesteel.staging.transport=secret"];
    const most = (4096 * 3) / 4;
    const text = (sizeBytes: number) => "x".repeat(sizeBytes);
    const cwd = directoryOf({
      "job.py": "",
      "fits.txt": text(most),
      "over.txt": text(most + 1),
      "invalid näme.txt": "a",
    });
    const args = [...limit, ...transport, "--files"];
    expect((await render(cwd, ...args, "fits.txt", "job.py")).exit).toBe(0);
    const over = await render(cwd, ...args, "over.txt", "job.py");
    expect(over.exit).not.toBe(0);
    expect(over.stderr).toMatch(/spark\.firesteel\.staging\.secret\.maxSize is 4096/);
    const invalid = await render(cwd, ...args, "invalid näme.txt", "job.py");
    expect([invalid.exit === 0, invalid.stdout]).toEqual([false, ""]);
    expect(invalid.stderr).toMatch(/Cannot send .*invalid näme\.txt to the pods: the name .* is not allowed/);
    const other = join(directoryOf({ "fits.txt": "another" }), "fits.txt");
    const double = await render(cwd, ...args, `${other},fits.txt`, "job.py");
    expect([double.exit === 0, double.stdout]).toEqual([false, ""]);
    expect(double.stderr).toContain("fits.txt");
  });
});
