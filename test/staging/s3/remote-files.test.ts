import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiNamespaces } from "../../acceptance/api-namespaces.ts";
import { dataOf, localizedRemoteFiles } from "../../acceptance/localize-objects.ts";
import { run } from "../../acceptance/programs.ts";
import { describeWith } from "../../test-with.ts";
import { swift } from "./fetch-swift.ts";
import { swiftForTests } from "./swift.ts";

describeWith(swift)("remote files of a bucket", { timeout: 180_000 }, () => {
  const api = apiNamespaces("remote-s3a");
  const s3 = swiftForTests();

  async function submission(name: string, ...files: readonly string[]) {
    const { args, objects } = await api.create();
    const { AWS_ACCESS_KEY_ID: key = "", AWS_SECRET_ACCESS_KEY: secret = "" } = s3().env;
    const settings = [
      "spark.firesteel.staging.remoteFiles=initContainer",
      `spark.hadoop.fs.s3a.bucket.${name}.endpoint=${s3().endpoint}`,
      "spark.hadoop.fs.s3a.path.style.access=true",
      ...[`spark.hadoop.fs.s3a.access.key=${key}`, `spark.hadoop.fs.s3a.secret.key=${secret}`],
    ];
    const own = settings.flatMap((setting) => ["--conf", setting]);
    return { args: [...args, ...own, "--files", files.join(","), "local:///job.py"], objects };
  }

  test("are fetched with URLs that the settings of S3A sign", async () => {
    const name = await s3().newBucket();
    const bucket = s3().open(name);
    await bucket.put("apps/a+b.json", "of the bucket");
    bucket.close();
    // A plus is not one of the characters that all programs can use in a name.
    const { args, objects } = await submission(name, `s3a://${name}//apps/a+b.json#a.json`);
    const outcome = await run("spark-submit", args);
    expect(outcome).toMatchObject({ exit: 0 });
    const found = await objects();
    expect(dataOf(found, "Secret", "remote-urls.json")).toContain("X-Amz-Signature");
    expect(dataOf(found, "ConfigMap", "localize.json") + outcome.stderr).not.toMatch(/X-Amz-Signature|testing/);
    const directory = await localizedRemoteFiles(found);
    expect(readFileSync(join(directory, "files", "a.json"), "utf8")).toBe("of the bucket");
  });

  test("must exist, and must be readable with a URL alone", async () => {
    const name = await s3().newBucket();
    const absent = await run("spark-submit", (await submission(name, `s3a://${name}/absent`)).args);
    expect(absent.stderr).toContain(`cannot fetch s3a://${name}/absent: the object does not exist`);
    const { args } = await submission(name, `s3a://${name}/a`);
    const encrypted = ["--conf", "spark.hadoop.fs.s3a.encryption.algorithm=SSE-C"];
    expect((await run("spark-submit", [...encrypted, ...args])).stderr).toContain("a URL cannot contain the key");
  });
});
