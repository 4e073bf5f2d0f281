import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apiNamespaces, refusingPods } from "./api-namespaces.ts";
import type { RecordedRequest, RequestOutcome } from "./fault-proxy.ts";
import { startHdfs } from "./hdfs-server.ts";
import { run, temporaryDirectory } from "./programs.ts";

describe("an upload path of hdfs:", { timeout: 120_000 }, () => {
  const api = apiNamespaces("hdfs");

  async function submission(path: string, decide?: (visit: RecordedRequest) => RequestOutcome) {
    const { args, namespace } = await api.create(decide);
    const upload = ["--conf", `spark.kubernetes.file.upload.path=${path}`];
    return { namespace, args: [...args, ...upload, "--files", "tree/a b.txt", "job.py"] };
  }

  function jobDirectory(): string {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "job.py"), "print(1)\n");
    mkdirSync(join(directory, "tree"));
    writeFileSync(join(directory, "tree", "a b.txt"), "leaf");
    return directory;
  }

  test("receives files by WebHDFS through the active NameNode", async () => {
    const { files, users, env } = await startHdfs();
    const { args } = await submission("hdfs://ns1/up/");
    const outcome = await run("spark-submit", args, { cwd: jobDirectory(), env });
    expect(outcome).toMatchObject({ exit: 0 });
    const found = [...files].map(([path, text]) => [path.replace(/(?<=upload-)[0-9a-f-]{36}/, "UUID"), text]);
    expect(found.sort()).toEqual([
      ["/up/spark-upload-UUID/a%20b.txt", "leaf"],
      ["/up/spark-upload-UUID/job.py", "print(1)\n"],
    ]);
    expect([...users]).toEqual(["ann"]);
  });

  test("loses a driver's uploads on --kill with removeUploads", async () => {
    const { files, env } = await startHdfs();
    const cwd = jobDirectory();
    const { args, namespace } = await submission("hdfs://ns1/up");
    const kept = await run("spark-submit", args, { cwd, env });
    expect(kept).toMatchObject({ exit: 0 });
    const removeUploads = ["--conf", "spark.firesteel.staging.removeUploads=true"];
    const wished = ["--conf", "spark.kubernetes.driver.pod.name=wished", ...removeUploads];
    expect(await run("spark-submit", [...wished, ...args], { cwd, env })).toMatchObject({ exit: 0 });
    expect(files.size).toBe(4);
    const kill = ["--master", args[1] ?? "", "--kill", `${namespace}:hdfs-*`];
    expect(await run("spark-submit", kill, { env })).toMatchObject({ exit: 0 });
    expect(files.size).toBe(4);
    const one = ["--master", args[1] ?? "", "--kill", `${namespace}:wished`];
    const killed = await run("spark-submit", one, { env });
    expect(killed.stderr).toContain("Removed the uploads of wished");
    expect(files.size).toBe(2);
  });

  test("of webhdfs: is used directly, and uploads of a rejected driver are removed", async () => {
    const { files, env, active } = await startHdfs();
    let uploaded = 0;
    const refusing = (visit: RecordedRequest): RequestOutcome => {
      const fate = refusingPods(visit);
      if (fate !== "pass") uploaded = files.size;
      return fate;
    };
    const { args } = await submission(`webhdfs://${active}/up`, refusing);
    const outcome = await run("spark-submit", args, { cwd: jobDirectory(), env });
    expect(outcome.exit).toBe(1);
    expect(uploaded).toBe(2);
    expect([...files.keys()]).toEqual([]);
  });
});
