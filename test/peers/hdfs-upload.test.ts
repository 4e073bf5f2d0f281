import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { createNamespace, startApi } from "../acceptance/embedded-api.ts";
import { openFaultProxy } from "../acceptance/fault-proxy.ts";
import { run, temporaryDirectory } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { someBytes } from "../staging/staging-program.ts";
import { testWith } from "../test-with.ts";
import { fetchMiniHadoop, startMiniHadoop } from "./mini-hadoop.ts";

const hadoop = fetchMiniHadoop();

const megabytes = 12;

testWith(hadoop)("files get into a true HDFS, and go with their driver when that is killed", async () => {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-api-"));
  const cluster = await startApi(directory);
  const { confDirectory, fileSystem, list, stop } = await startMiniHadoop(available(hadoop));
  onTestFinished(async () => {
    await stop();
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  await createNamespace(cluster, "hdfs");
  const proxy = await openFaultProxy(cluster.transport, () => "pass");
  onTestFinished(() => proxy.close());
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, "job.py"), "print(1)\n");
  writeFileSync(join(cwd, "a b+ü.bin"), someBytes(megabytes * 1024 * 1024));
  const env = { HADOOP_CONF_DIR: confDirectory, HADOOP_USER_NAME: "ann" };
  const settings = [
    "spark.kubernetes.namespace=hdfs",
    "spark.kubernetes.submission.waitAppCompletion=false",
    "spark.kubernetes.container.image=spark",
    "spark.kubernetes.driver.pod.name=wished",
    "spark.firesteel.staging.removeUploads=true",
    `spark.kubernetes.file.upload.path=${fileSystem}/user/ann/up`,
  ];
  const master = `k8s://${proxy.url}`;
  const args = [
    ...["--master", master, "--deploy-mode", "cluster", "--name", "hdfs"],
    ...settings.flatMap((setting) => ["--conf", setting]),
    ...["--files", "a b+ü.bin", "job.py"],
  ];
  const outcome = await run("spark-submit", args, { cwd, env });
  expect(outcome).toMatchObject({ exit: 0 });
  const [, path = ""] = /to dest: hdfs:\/\/[^/]*(\S*spark-upload-[0-9a-f-]*)\/a b/.exec(outcome.stderr) ?? [];
  const found = await list(path);
  expect(found).toContain(`"length":${megabytes * 1024 * 1024}`);
  expect(found).toContain('"pathSuffix":"a b+ü.bin"');
  expect(found).toContain('"owner":"ann"');
  expect(found).toContain('"permission":"644"');
  const killed = await run("spark-submit", ["--master", master, "--kill", "hdfs:wished"], { env });
  expect(killed.stderr).toContain("Removed the uploads of wished");
  expect(await list(path)).toContain("FileNotFoundException");
});
