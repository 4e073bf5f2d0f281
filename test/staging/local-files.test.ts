import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startAcceptingApi } from "../acceptance/accepting-api.ts";
import { run, temporaryDirectory, withCaches } from "../acceptance/programs.ts";
import { zip } from "../golden/zip.ts";

const cluster = ["--master", "k8s://https://127.0.0.1:1", "--deploy-mode", "cluster", "--name", "files"];
const image = ["--conf", "spark.kubernetes.container.image=spark"];
const directory = (path: string) => ["--conf", `spark.firesteel.staging.directory=${path}`];

const jarOf = (mainClass?: string) =>
  zip({
    "META-INF/MANIFEST.MF": `Manifest-Version: 1.0\r\n${mainClass === undefined ? "" : `Main-Class: ${mainClass}\r\n`}\r\n`,
  });

/** A folder with files, by their names. */
function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const directory = temporaryDirectory();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  return directory;
}

async function render(cwd: string, ...args: readonly string[]) {
  const outcome = await run(
    "firesteel",
    ["render", "-o", "json", "--seed", "one", ...cluster, ...image, ...args],
    { cwd },
  );
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
  test("T71 a main jar tells its class in its manifest, else it is refused before anything is asked of the cluster", async () => {
    const api = await startAcceptingApi();
    const cwd = folderOf({ "told.jar": jarOf("a.Main"), "untold.jar": jarOf() });
    const told = await render(cwd, "told.jar");
    expect(told.driver?.container.args).toEqual(expect.arrayContaining(["--class", "a.Main"]));
    const untold = await run(
      "spark-submit",
      ["--master", `k8s://${api.server}`, ...cluster.slice(2), ...image, "untold.jar"],
      { cwd, env: { KUBECONFIG: api.kubeconfig } },
    );
    expect(untold.exit).not.toBe(0);
    expect(untold.stderr).toContain("--class");
    expect(api.requests).toEqual([]);
  });

  test("T72 two jars of one name and other content are both there, under names of their own", async () => {
    const cwd = folderOf({ "main.jar": jarOf("a.Main") });
    const folders = [folderOf({ "same.jar": jarOf("one.A") }), folderOf({ "same.jar": jarOf("two.B") })];
    const jars = folders.map((directory) => join(directory, "same.jar")).join(",");
    const { exit, stdout } = await render(cwd, "--jars", jars, "main.jar");
    expect(exit).toBe(0);
    const names = new Set(stdout.match(/(?<=\/)same[^/",\\]*\.jar/g));
    expect(names.size).toBe(2);
  });

  test("T72 both are on the driver's class path, and executors can get both", async () => {
    const script = `
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
loader = spark._jvm.org.apache.spark.util.Utils.getContextOrSparkClassLoader()
print("found", [loader.getResource(name) is not None for name in ("one.txt", "two.txt", "three.txt")])
print("served", spark.sparkContext._jsc.sc().listJars().mkString(" "))
`;
    const cwd = folderOf({ "job.py": script });
    const folders = [
      folderOf({ "same.jar": zip({ "one.txt": "1" }) }),
      folderOf({ "same.jar": zip({ "two.txt": "2" }) }),
    ];
    const jars = folders.map((directory) => join(directory, "same.jar")).join(",");
    const args = ["--master", "k8s://embedded", ...cluster.slice(2), ...image, "--logs", "driver"];
    const { exit, stdout, stderr } = await run("spark-submit", [...args, "--jars", jars, "job.py"], {
      ...{ cwd, env: withCaches({}) },
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
    "T73 they do not go into %s, which Spark removes",
    async (path) => {
      const cwd = folderOf({ "job.py": "", "a.txt": "a" });
      const { exit, stdout, stderr } = await render(cwd, ...directory(path), "--files", "a.txt", "job.py");
      expect([exit === 0, stdout]).toEqual([false, ""]);
      expect(stderr).toContain("spark.firesteel.staging.directory");
    },
  );

  test("T74 a read-only root file system gets a working directory that can be written", async () => {
    const template = `apiVersion: v1
kind: Pod
spec:
  containers:
  - name: driver
    securityContext: {readOnlyRootFilesystem: true}
`;
    const cwd = folderOf({ "job.py": "", "a.txt": "a", "pod.yaml": template });
    const args = ["--conf", "spark.kubernetes.driver.podTemplateFile=pod.yaml", "--files", "a.txt", "job.py"];
    const { driver } = await render(cwd, ...args);
    const mount = driver?.container.volumeMounts.find(
      ({ mountPath }: { mountPath: string }) => mountPath === "/opt/spark/work-dir",
    );
    expect(driver?.volumes).toContainEqual({ name: mount?.name, emptyDir: {} });
  });

  test("T79 as many bytes as the limit go in Secrets, one more is refused with the ways out, as odd names and doubles are", async () => {
    const limit = ["--conf", "spark.firesteel.staging.secret.maxSize=4096"];
    const transport = ["--conf", "spark.firesteel.staging.transport=secret"];
    const most = (4096 * 3) / 4;
    const text = (sizeBytes: number) => "x".repeat(sizeBytes);
    const cwd = folderOf({
      "job.py": "",
      "fits.txt": text(most),
      "over.txt": text(most + 1),
      "odd näme.txt": "a",
    });
    const args = [...limit, ...transport, "--files"];
    expect((await render(cwd, ...args, "fits.txt", "job.py")).exit).toBe(0);
    const over = await render(cwd, ...args, "over.txt", "job.py");
    expect(over.exit).not.toBe(0);
    expect(over.stderr).toMatch(/spark\.firesteel\.staging\.secret\.maxSize is 4096/);
    const odd = await render(cwd, ...args, "odd näme.txt", "job.py");
    expect([odd.exit === 0, odd.stdout]).toEqual([false, ""]);
    expect(odd.stderr).toMatch(/odd näme\.txt cannot go to the pods by its name/);
    const other = join(folderOf({ "fits.txt": "another" }), "fits.txt");
    const double = await render(cwd, ...args, `${other},fits.txt`, "job.py");
    expect([double.exit === 0, double.stdout]).toEqual([false, ""]);
    expect(double.stderr).toContain("fits.txt");
  });
});
