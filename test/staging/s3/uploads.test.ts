import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { EmbeddedCluster } from "../../../src/local-cluster/index.ts";
import { isFields } from "../../../src/values/fields.ts";
import { type Fate, openDoor, type Visit } from "../../acceptance/api-door.ts";
import { createNamespace, objectsIn, startApi } from "../../acceptance/embedded-api.ts";
import { run, temporaryFolder } from "../../acceptance/programs.ts";
import { someBytes } from "../staging-program.ts";
import { type S3Server, startSwift, swift } from "./swift.ts";

const isMissing = "missing" in swift;
if ("missing" in swift) process.stdout.write(`No S3 server, so no tests with one: ${swift.missing}\n`);

const refusal = { status: 403, message: "exceeded quota: pods", reason: "Forbidden" };

describe.skipIf(isMissing)("an upload path of s3a:", { timeout: 180_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-api-"));
  let cluster: EmbeddedCluster;
  let s3: S3Server;
  let spaces = 0;

  beforeAll(async () => {
    [cluster, s3] = await Promise.all([startApi(directory), startSwift()]);
  }, 120_000);

  afterAll(async () => {
    s3?.stop();
    await cluster?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** A submission with its files, in a namespace of its own. */
  async function submission(settings: readonly string[], decide: (visit: Visit) => Fate = () => "pass") {
    spaces += 1;
    const namespace = `s3a-${spaces}`;
    await createNamespace(cluster, namespace);
    const door = await openDoor(cluster.transport, decide);
    onTestFinished(() => door.close());
    const all = [
      `spark.kubernetes.namespace=${namespace}`,
      "spark.kubernetes.submission.waitAppCompletion=false",
      "spark.kubernetes.container.image=spark",
      ...settings,
    ];
    const words = [
      ...["--master", `k8s://${door.url}`, "--deploy-mode", "cluster", "--name", "s3a"],
      ...all.flatMap((setting) => ["--conf", setting]),
      ...["--files", "conf/my file.txt,big.bin", "--archives", "tree/data.zip#data", "job.py"],
    ];
    return { words, objects: () => objectsIn(cluster, namespace) };
  }

  function jobFolder(): string {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "job.py"), "print(1)\n");
    writeFileSync(join(folder, "big.bin"), someBytes(20 * 1024 * 1024));
    for (const sub of ["conf", "tree"]) mkdirSync(join(folder, sub), { recursive: true });
    writeFileSync(join(folder, "conf", "my file.txt"), "a");
    writeFileSync(join(folder, "tree", "data.zip"), "zip");
    return folder;
  }

  async function keysIn(bucket: string): Promise<readonly string[]> {
    const opened = s3.open(bucket);
    const keys: string[] = [];
    for await (const { key } of opened.list("")) keys.push(key);
    opened.close();
    return keys;
  }

  const s3a = () => [
    `spark.hadoop.fs.s3a.endpoint=${s3.endpoint}`,
    "spark.hadoop.fs.s3a.path.style.access=true",
    "spark.hadoop.fs.s3a.access.key=test:tester",
    "spark.hadoop.fs.s3a.secret.key=testing",
  ];

  test("takes files, where the driver is told that they are", async () => {
    const bucket = await s3.newBucket();
    const path = `spark.kubernetes.file.upload.path=s3a://${bucket}/up//here`;
    const { words, objects } = await submission([path, ...s3a()]);
    const outcome = await run("spark-submit", words, { cwd: jobFolder() });
    expect(outcome).toMatchObject({ exit: 0 });
    const keys = await keysIn(bucket);
    expect(keys.map((key) => key.replace(/(?<=upload-)[0-9a-f-]{36}/, "UUID")).sort()).toEqual([
      "up/here/spark-upload-UUID/big.bin",
      "up/here/spark-upload-UUID/data.zip",
      "up/here/spark-upload-UUID/job.py",
      "up/here/spark-upload-UUID/my file.txt",
    ]);
    const opened = s3.open(bucket);
    const big = await opened.info(keys.find((key) => key.endsWith("big.bin")) ?? "");
    opened.close();
    expect(big?.sizeBytes).toBe(20 * 1024 * 1024);
    const properties = (await objects())
      .flatMap(({ data }) => (isFields(data) ? [String(data["spark.properties"] ?? "")] : []))
      .join("");
    const [id] = /spark-upload-[0-9a-f-]{36}(?=\/my file)/.exec(keys.join()) ?? [];
    expect(properties).toContain(`s3a\\://${bucket}/up//here/${id}/my file.txt`);
    expect(properties).toMatch(/spark\.archives=.*\/data\.zip\\?#data/);
  });

  test("by core-site.xml; what was uploaded for a driver that is refused is removed", async () => {
    const [bucket, folder] = [await s3.newBucket(), temporaryFolder()];
    const path = `spark.kubernetes.file.upload.path=s3a://${bucket}/up`;
    const properties = s3a()
      .map((setting) => /^spark\.hadoop\.([^=]*)=(.*)$/.exec(setting) ?? [])
      .map(([, name, value]) => `<property><name>${name}</name><value>${value}</value></property>`);
    writeFileSync(join(folder, "core-site.xml"), `<configuration>${properties.join("")}</configuration>`);
    let seen: readonly string[] = [];
    const refusing = ({ method, path: asked }: Visit): Fate =>
      method === "POST" && /\/pods(\?|$)/.test(asked) ? { ...refusal } : "pass";
    const { words } = await submission([path], refusing);
    const outcome = await run("spark-submit", words, { cwd: jobFolder(), env: { HADOOP_CONF_DIR: folder } });
    seen = await keysIn(bucket);
    expect(outcome.exit).toBe(1);
    expect(outcome.stderr).toContain("exceeded quota");
    expect(seen).toEqual([]);
  });

  test("goes through a proxy where S3A would", async () => {
    const bucket = await s3.newBucket();
    const asked: string[] = [];
    const proxy = createServer((_, response) => response.writeHead(405).end());
    proxy.on("connect", ({ url = "", headers }, socket) => {
      asked.push(`${url} ${headers["proxy-authorization"]}`);
      const onward = connect(Number(url.split(":")[1]), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      for (const one of [onward, socket]) one.on("error", () => one.destroy());
    });
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const address = proxy.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const through = [
      "spark.hadoop.fs.s3a.proxy.host=127.0.0.1",
      `spark.hadoop.fs.s3a.proxy.port=${port}`,
      "spark.hadoop.fs.s3a.proxy.username=me",
      "spark.hadoop.fs.s3a.proxy.password=pw",
    ];
    const path = `spark.kubernetes.file.upload.path=s3a://${bucket}/up`;
    const { words } = await submission([path, ...s3a(), ...through]);
    expect(await run("spark-submit", words, { cwd: jobFolder() })).toMatchObject({ exit: 0 });
    expect(await keysIn(bucket)).toHaveLength(4);
    const line = `${new URL(s3.endpoint).host} Basic ${Buffer.from("me:pw").toString("base64")}`;
    expect(new Set(asked)).toEqual(new Set([line]));
  });

  test("whose bucket refuses ends the submission with its words", async () => {
    const bucket = await s3.newBucket();
    const path = `spark.kubernetes.file.upload.path=s3a://${bucket}/up`;
    const wrong = "spark.hadoop.fs.s3a.secret.key=wrong-secret";
    const { words } = await submission([path, ...s3a(), wrong]);
    const outcome = await run("spark-submit", words, { cwd: jobFolder() });
    expect(outcome.exit).toBe(1);
    expect(outcome.stderr).toContain("S3 answered 403");
    expect(outcome.stderr).not.toContain("wrong-secret");
  });
});
