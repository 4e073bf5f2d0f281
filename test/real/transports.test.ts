import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run, temporaryFolder } from "../acceptance/programs.ts";
import { startStaging } from "../staging/staging-program.ts";
import { type RealNamespace, realNamespace } from "./real-cluster.ts";

const kubeconfig = process.env["FIRESTEEL_REAL_KUBECONFIG"] ?? "";
const image = process.env["FIRESTEEL_REAL_IMAGE"] ?? "spark:4.3.0";
const initImage = process.env["FIRESTEEL_REAL_INIT_IMAGE"] ?? "";
/** How pods reach this machine. */
const hostAddress = process.env["FIRESTEEL_REAL_HOST_ADDRESS"] ?? "";

const script = `
import json, os, sys
from pyspark import SparkFiles
from pyspark.sql import SparkSession
import zipped, helper
spark = SparkSession.builder.getOrCreate()
def words():
    import zipped, helper
    return [zipped.word, helper.word, json.load(open(SparkFiles.get("conf.json")))["word"], open("env/word.txt").read()]
found = spark.sparkContext.parallelize(range(4), 4).mapPartitions(lambda _: [words()]).collect()
print("driver", words(), json.load(open("conf.json"))["word"], sys.argv[0])
print("executors", sorted(set(map(tuple, found))))
loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
print("jar", loader.getResource("in-a-jar.txt").toString())
spark.stop()
`;

const archives = `
import tarfile, zipfile
zipfile.ZipFile("libs.zip", "w").writestr("zipped.py", "word = 'zipped'")
zipfile.ZipFile("tiny.jar", "w").writestr("in-a-jar.txt", "in a jar")
open("word.txt", "w").write("unpacked")
tarfile.open("env.tar.gz", "w:gz").add("word.txt")
`;

let namespace: RealNamespace;

beforeAll(async () => {
  namespace = await realNamespace(kubeconfig);
});

afterAll(async () => {
  await namespace?.remove();
});

function folderOfJob(): string {
  const folder = temporaryFolder();
  execFileSync("python3", ["-c", archives], { cwd: folder });
  writeFileSync(join(folder, "job.py"), script);
  writeFileSync(join(folder, "helper.py"), "word = 'beside'\n");
  writeFileSync(join(folder, "conf.json"), '{"word": "configured"}');
  return folder;
}

function submit(settings: Readonly<Record<string, string>>) {
  const all = {
    "spark.kubernetes.namespace": namespace.name,
    "spark.kubernetes.container.image": image,
    "spark.kubernetes.authenticate.driver.serviceAccountName": "spark",
    "spark.kubernetes.driver.request.cores": "100m",
    "spark.kubernetes.executor.request.cores": "100m",
    "spark.executor.instances": "1",
    ...(initImage === "" ? {} : { "spark.firesteel.staging.initContainer.image": initImage }),
    ...settings,
  };
  const words = [
    ...["--master", namespace.master, "--deploy-mode", "cluster", "--name", "carried", "--logs", "all"],
    ...Object.entries(all).flatMap(([key, value]) => ["--conf", `${key}=${value}`]),
    ...["--py-files", "libs.zip,helper.py", "--files", "conf.json", "--archives", "env.tar.gz#env"],
    ...["--jars", "tiny.jar", "job.py"],
  ];
  return run("spark-submit", words, { cwd: folderOfJob(), env: { KUBECONFIG: kubeconfig } });
}

const wordsOfAll = "'zipped', 'beside', 'configured', 'unpacked'";
const fetchesJar = /Fetching spark:\/\/\S+\/jars\/tiny\.jar/;

test.for([
  { way: "secret", mode: "driverServed" },
  { way: "secret", mode: "everywhere" },
  { way: "push", mode: "driverServed" },
  { way: "server", mode: "driverServed" },
  { way: "server", mode: "everywhere" },
  { way: "server", mode: "classPathOnly" },
])(
  "T68, T69, T70: by $way, $mode, driver and executors have all that was named",
  async ({ way, mode }, { skip }) => {
    const settings: Record<string, string> = {
      "spark.firesteel.staging.transport": way,
      "spark.firesteel.staging.mode": mode,
    };
    if (way !== "secret") skip(initImage === "", "no image of the init container is named: --init-image");
    if (way === "server") {
      skip(hostAddress === "", "how pods reach this machine is not said: --host-address");
      const { port } = await startStaging(["--auth", "none", "--owners", "none", "--host", "0.0.0.0"]);
      settings["spark.firesteel.staging.server"] = `http://127.0.0.1:${port}`;
      settings["spark.firesteel.staging.server.internalUrl"] = `http://${hostAddress}:${port}`;
    }
    const { exit, stdout, stderr } = await submit(settings);
    expect(exit, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout).toContain(`driver [${wordsOfAll}] configured /opt/spark-deps/pyfiles/job.py`);
    expect(stdout).toContain(`executors [(${wordsOfAll})]`);
    expect(stdout).toMatch(/jar jar:file:\S*tiny\.jar!\/in-a-jar\.txt/);
    if (mode === "driverServed") expect(stdout).toMatch(fetchesJar);
    else expect(stdout).not.toMatch(fetchesJar);
  },
);
