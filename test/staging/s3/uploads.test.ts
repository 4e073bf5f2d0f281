import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isFields } from "../../../src/values/fields.ts";
import { apiNamespaces, refusingPods } from "../../acceptance/api-namespaces.ts";
import type { RecordedRequest, RequestOutcome } from "../../acceptance/fault-proxy.ts";
import { run, temporaryDirectory } from "../../acceptance/programs.ts";
import { describeWith } from "../../test-with.ts";
import { startProxy } from "../forward-proxy.ts";
import { someBytes } from "../staging-program.ts";
import { swift } from "./fetch-swift.ts";
import { swiftForTests } from "./swift.ts";

describeWith(swift)("an upload path of s3a:", { timeout: 180_000 }, () => {
  const api = apiNamespaces("s3a");
  const s3 = swiftForTests();

  /** Prepares a submission with files in its own namespace. */
  async function submission(settings: readonly string[], decide?: (visit: RecordedRequest) => RequestOutcome) {
    const { args, ...rest } = await api.create(decide);
    const files = ["--files", "conf/my file.txt,big.bin", "--archives", "tree/data.zip#data", "job.py"];
    return { ...rest, args: [...args, ...settings.flatMap((setting) => ["--conf", setting]), ...files] };
  }

  function jobDirectory(): string {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "job.py"), "print(1)\n");
    writeFileSync(join(directory, "big.bin"), someBytes(20 * 1024 * 1024));
    for (const sub of ["conf", "tree"]) mkdirSync(join(directory, sub), { recursive: true });
    writeFileSync(join(directory, "conf", "my file.txt"), "a");
    writeFileSync(join(directory, "tree", "data.zip"), "zip");
    return directory;
  }

  const s3a = () => [
    `spark.hadoop.fs.s3a.endpoint=${s3().endpoint}`,
    "spark.hadoop.fs.s3a.path.style.access=true",
    "spark.hadoop.fs.s3a.access.key=test:tester",
    "spark.hadoop.fs.s3a.secret.key=testing",
  ];

  test("receives the files that the driver's settings reference", async () => {
    const bucket = await s3().newBucket();
    const path = `spark.kubernetes.file.upload.path=s3a://${bucket}/up//here`;
    const { args, objects } = await submission([path, ...s3a()]);
    const outcome = await run("spark-submit", args, { cwd: jobDirectory() });
    expect(outcome).toMatchObject({ exit: 0 });
    const keys = await s3().keysIn(bucket);
    expect(keys.map((key) => key.replace(/(?<=upload-)[0-9a-f-]{36}/, "UUID")).sort()).toEqual([
      "up/here/spark-upload-UUID/big.bin",
      "up/here/spark-upload-UUID/data.zip",
      "up/here/spark-upload-UUID/job.py",
      "up/here/spark-upload-UUID/my file.txt",
    ]);
    const opened = s3().open(bucket);
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

  test("reads core-site.xml, and removes uploads of a rejected driver", async () => {
    const [bucket, directory] = [await s3().newBucket(), temporaryDirectory()];
    const path = `spark.kubernetes.file.upload.path=s3a://${bucket}/up`;
    const properties = s3a()
      .map((setting) => /^spark\.hadoop\.([^=]*)=(.*)$/.exec(setting) ?? [])
      .map(([, name, value]) => `<property><name>${name}</name><value>${value}</value></property>`);
    writeFileSync(join(directory, "core-site.xml"), `<configuration>${properties.join("")}</configuration>`);
    const { args } = await submission([path], refusingPods);
    const outcome = await run("spark-submit", args, {
      cwd: jobDirectory(),
      env: { HADOOP_CONF_DIR: directory },
    });
    expect(outcome.exit).toBe(1);
    expect(outcome.stderr).toContain("exceeded quota");
    expect(await s3().keysIn(bucket)).toEqual([]);
  });

  test("uses a proxy as S3A does", async () => {
    const bucket = await s3().newBucket();
    const behind = Number(new URL(s3().endpoint).port);
    const { requests, url } = await startProxy(behind);
    const through = [
      "spark.hadoop.fs.s3a.proxy.host=127.0.0.1",
      `spark.hadoop.fs.s3a.proxy.port=${new URL(url).port}`,
      "spark.hadoop.fs.s3a.proxy.username=me",
      "spark.hadoop.fs.s3a.proxy.password=pw",
    ];
    const path = `spark.kubernetes.file.upload.path=s3a://${bucket}/up`;
    const { args } = await submission([path, ...s3a(), ...through]);
    expect(await run("spark-submit", args, { cwd: jobDirectory() })).toMatchObject({ exit: 0 });
    expect(await s3().keysIn(bucket)).toHaveLength(4);
    const authorization = `Basic ${Buffer.from("me:pw").toString("base64")}`;
    expect(requests.length).toBeGreaterThan(0);
    for (const line of requests) expect(line).toMatch(new RegExp(`^\\w+ ${s3().endpoint}/\\S* ${authorization}$`));
  });

  test("ends the submission with the bucket's message when it denies access", async () => {
    const bucket = await s3().newBucket();
    const path = `spark.kubernetes.file.upload.path=s3a://${bucket}/up`;
    const wrong = "spark.hadoop.fs.s3a.secret.key=wrong-secret";
    const { args } = await submission([path, ...s3a(), wrong]);
    const outcome = await run("spark-submit", args, { cwd: jobDirectory() });
    expect(outcome.exit).toBe(1);
    expect(outcome.stderr).toContain("S3 responded with 403");
    expect(outcome.stderr).not.toContain("wrong-secret");
  });
});
