import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { KubeResource } from "../../../src/kube/types.ts";
import { isFields } from "../../../src/values/fields.ts";
import { apiNamespaces } from "../../acceptance/api-namespaces.ts";
import { run, start, temporaryDirectory } from "../../acceptance/programs.ts";
import { stallingTunnel } from "../../acceptance/stalling-tunnel.ts";
import { describeWith } from "../../test-with.ts";
import { startProxy } from "../forward-proxy.ts";
import { someBytes } from "../staging-program.ts";
import { swift } from "./fetch-swift.ts";
import { openCountingProxy, swiftForTests } from "./swift.ts";

/** Larger than one part. */
const largeBytes = 40 * 1024 * 1024;

describeWith(swift)("files that go through an S3 bucket", { timeout: 180_000 }, () => {
  const api = apiNamespaces("bucketed");
  const s3 = swiftForTests();

  /** Prepares a submission in its own namespace. */
  async function submission(bucket: string, endpoint = s3().endpoint, ...more: readonly string[]) {
    const { args, ...rest } = await api.create();
    const settings = [
      `spark.firesteel.staging.s3.path=s3://${bucket}/staged`,
      `spark.firesteel.staging.s3.endpoint=${endpoint}`,
      ...more,
    ];
    return { ...rest, args: [...args, ...settings.flatMap((setting) => ["--conf", setting])] };
  }

  async function unfinishedIn(name: string): Promise<readonly string[]> {
    const bucket = s3().open(name);
    const keys: string[] = [];
    for await (const { key } of bucket.listUploads("staged/")) keys.push(key);
    bucket.close();
    return keys;
  }

  function jobDirectory(): string {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "job.py"), "print('of this machine')\n");
    writeFileSync(join(directory, "large.bin"), someBytes(largeBytes));
    return directory;
  }

  test("T26 T78 are stored once and downloaded by URLs that only a Secret contains", async () => {
    const [bucket, cwd] = [await s3().newBucket(), jobDirectory()];
    const proxy = await openCountingProxy(s3().endpoint);
    onTestFinished(() => proxy.close());
    const files = ["--files", "large.bin", "job.py"];
    const first = await submission(bucket, proxy.endpoint);
    const outcome = await run("spark-submit", [...first.args, "--verbose", ...files], {
      cwd,
      env: s3().env,
    });
    expect(outcome).toMatchObject({ exit: 0 });
    expect(outcome.stderr).toContain("through an S3 bucket");
    const sent = proxy.sentBytes();
    expect(sent).toBeGreaterThan(largeBytes);
    const second = await submission(bucket, proxy.endpoint);
    expect(await run("spark-submit", [...second.args, ...files], { cwd, env: s3().env })).toMatchObject({
      exit: 0,
    });
    expect(proxy.sentBytes() - sent).toBeLessThan(64 * 1024);
    const objects = await second.objects();
    const inputs = inputsOf(objects);
    const openly = JSON.stringify(objects.filter(({ kind }) => kind !== "Secret")) + outcome.stderr + outcome.stdout;
    expect(inputs.urls).toHaveLength(2);
    for (const secret of ["X-Amz-Signature", "testing"]) expect(openly).not.toContain(secret);
    const directory = await localized(inputs);
    expect(readFileSync(join(directory, "files", "large.bin")).equals(someBytes(largeBytes))).toBe(true);
    expect(readFileSync(join(directory, "pyfiles", "job.py"), "utf8")).toContain("of this machine");
  });

  test("are used for files that exceed Secrets, with URLs of the internal address", async () => {
    const [bucket, cwd] = [await s3().newBucket(), jobDirectory()];
    const url = "spark.firesteel.staging.s3.internalUrl=https://s3.inside:9000";
    const { args, objects } = await submission(bucket, s3().endpoint, url);
    const outcome = await run("spark-submit", [...args, "--files", "large.bin", "job.py"], {
      cwd,
      env: s3().env,
    });
    expect(outcome).toMatchObject({ exit: 0 });
    for (const one of inputsOf(await objects()).urls) expect(one).toMatch(/^https:\/\/s3\.inside:9000\/bucket-/);
  });

  test("go through the proxy of the environment", async () => {
    const [bucket, cwd] = [await s3().newBucket(), jobDirectory()];
    const { port } = new URL(s3().endpoint);
    const proxy = await startProxy(Number(port));
    const { args, objects } = await submission(bucket, `http://s3.beyond.test:${port}`);
    const proxied = { ...s3().env, HTTP_PROXY: proxy.url.replace("//", "//me:pw@"), NO_PROXY: "other.test" };
    const files = ["--files", "large.bin", "job.py"];
    const outcome = await run("spark-submit", [...args, ...files], { cwd, env: proxied });
    expect(outcome.exit, outcome.stderr).toBe(0);
    expect(await s3().keysIn(bucket)).toHaveLength(2);
    expect(proxy.requests.some((line) => line.startsWith("PUT http://s3.beyond.test:"))).toBe(true);
    for (const one of inputsOf(await objects()).urls) expect(one).toMatch(/^http:\/\/s3\.beyond\.test:/);
    const unproxied = { ...proxied, NO_PROXY: ".beyond.test" };
    const lost = await run("spark-submit", [...args, ...files], { cwd, env: unproxied });
    expect(lost.exit).toBe(1);
    expect(lost.stderr).toMatch(/s3\.beyond\.test:\d+ does not respond/);
  });

  test("T77 are continued after an interrupt, which leaves no objects in the cluster", async () => {
    const [bucket, cwd, cache] = [await s3().newBucket(), temporaryDirectory(), temporaryDirectory()];
    const sizeBytes = 80 * 1024 * 1024;
    writeFileSync(join(cwd, "job.py"), "print(1)\n");
    writeFileSync(join(cwd, "large.bin"), someBytes(sizeBytes));
    const tunnel = await stallingTunnel(Number(new URL(s3().endpoint).port), 60 * 1024 * 1024);
    const { args, objects } = await submission(bucket, `http://127.0.0.1:${tunnel.port}`);
    const options = { cwd, env: { ...s3().env, XDG_CACHE_HOME: cache } };
    const argv = [...args, "--files", "large.bin", "job.py"];
    const { child, ended } = start("spark-submit", argv, options);
    await Promise.race([tunnel.stalled, ended]);
    child.kill("SIGINT");
    expect((await ended).exit).toBe(130);
    expect(await objects()).toEqual([]);
    expect(await unfinishedIn(bucket)).toEqual([expect.stringMatching(/^staged\/sha256\//)]);
    const before = tunnel.sentBytes();
    const { exit, stderr } = await run("spark-submit", argv, options);
    expect(exit, stderr).toBe(0);
    expect(tunnel.sentBytes() - before).toBeLessThan(sizeBytes - 16 * 1024 * 1024);
    const directory = await localized(inputsOf(await objects()));
    expect(readFileSync(join(directory, "files", "large.bin")).equals(someBytes(sizeBytes))).toBe(true);
    expect(await unfinishedIn(bucket)).toEqual([]);
  });

  test("fail with SUBMIT_ERR_STAGING_S3 and the reason, but without the secret", async () => {
    const [bucket, cwd] = [await s3().newBucket(), jobDirectory()];
    const wrong = { ...s3().env, AWS_SECRET_ACCESS_KEY: "no-such-secret" };
    const { args, objects } = await submission(bucket);
    const outcome = await run("spark-submit", [...args, "--staging", "s3", "job.py"], { cwd, env: wrong });
    expect(outcome.exit).toBe(1);
    expect(outcome.stderr).toMatch(/Cannot upload .*job\.py to the bucket .*: S3 responded with 403/);
    expect(outcome.stderr).not.toContain("no-such-secret");
    expect((await objects()).filter(({ kind }) => kind === "Pod")).toEqual([]);
    const none = await submission("no-such-bucket-here");
    const lost = await run("spark-submit", [...none.args, "--staging", "s3", "job.py"], {
      cwd,
      env: s3().env,
    });
    expect(lost.exit).toBe(1);
    expect(lost.stderr).toContain("NoSuchBucket");
  });

  test("are rejected without credentials", async () => {
    const { args } = await submission(await s3().newBucket());
    const env = { AWS_EC2_METADATA_DISABLED: "true" };
    const outcome = await run("spark-submit", [...args, "--staging", "s3", "job.py"], {
      cwd: jobDirectory(),
      env,
    });
    expect(outcome.exit).toBe(1);
    expect(outcome.stderr).toContain("no credentials for S3 found");
  });
});

interface LocalizeInputs {
  readonly config: string;
  readonly urls: readonly string[];
}

/** Reads the init container's inputs from the objects. */
function inputsOf(objects: readonly KubeResource[]): LocalizeInputs {
  const text = (kind: string, name: string) =>
    objects
      .filter((object) => object.kind === kind)
      .flatMap(({ data }) => (isFields(data) && typeof data[name] === "string" ? [data[name]] : []))[0] ?? "";
  const urls: unknown = JSON.parse(Buffer.from(text("Secret", "urls.json"), "base64").toString("utf8"));
  return { config: text("ConfigMap", "localize.json"), urls: Array.isArray(urls) ? urls.map(String) : [] };
}

/** Runs the init container as the pod would. Returns the directory with the files. */
async function localized({ config, urls }: LocalizeInputs): Promise<string> {
  const directory = temporaryDirectory();
  const json: unknown = JSON.parse(config);
  const [source] = isFields(json) && Array.isArray(json["sources"]) ? json["sources"] : [];
  const urlsFile = join(directory, "urls.json");
  writeFileSync(urlsFile, JSON.stringify(urls));
  const own = { directory, sources: [{ ...source, urlsFile }] };
  writeFileSync(join(directory, "config.json"), JSON.stringify(own));
  const log = join(directory, "termination-log");
  const { ended } = start("spark-init-container", ["--termination-log", log, join(directory, "config.json")]);
  expect(await ended).toMatchObject({ exit: 0 });
  return directory;
}
