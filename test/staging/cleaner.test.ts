import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { BundleRecord } from "../../src/staging-server/store/bundle-record.ts";
import { storeLayout } from "../../src/staging-server/store/layout.ts";
import { driverPod, type FakeCluster, openFakeCluster } from "./fake-cluster.ts";
import {
  contentOf,
  readAnswer,
  type StagedBundle,
  type Staging,
  someBytes,
  stageBundle,
  startStaging,
  until,
  usualForm,
  usualOwner,
} from "./staging-program.ts";

const quick = ["--clean-interval", "50ms", "--absence", "150ms", "--retention", "1s", "--grace", "2s"];

async function watched(...more: string[]): Promise<{ cluster: FakeCluster; staging: Staging }> {
  const cluster = await openFakeCluster();
  cluster.pods.set("team", []);
  const staging = await startStaging([...cluster.options, "--auth", "none", ...quick, ...more]);
  return { cluster, staging };
}

const statusOf = async (staging: Staging, { path, reader }: StagedBundle) =>
  (await staging.ask("GET", path, { headers: reader })).status;

const isGone = (staging: Staging, bundle: StagedBundle) =>
  until(async () => ((await statusOf(staging, bundle)) === 410 ? true : undefined));

/** So many looks of the cleaner at a namespace from now on. */
async function rounds(cluster: FakeCluster, count: number, namespace = "team"): Promise<void> {
  const before = cluster.lists(namespace);
  await until(() => (cluster.lists(namespace) >= before + count ? true : undefined));
}

const download = (staging: Staging, { path, reader }: StagedBundle) =>
  staging.ask("GET", `${path}/entries/0`, { headers: reader });

const blobFiles = (staging: Staging) =>
  readdirSync(`${staging.store}/blobs`, { recursive: true }).filter((path) =>
    /[0-9a-f]{62}$/.test(String(path)),
  );

const marks = (staging: Staging) =>
  readdirSync(`${staging.store}/owned`, { recursive: true }).filter((path) => /-\d+$/.test(String(path)));

/** What the store knows of a bundle. */
function recordOf({ store }: Staging, namespace: string, { id }: StagedBundle): BundleRecord | undefined {
  const path = join(storeLayout(store).bundlesOf(namespace), `${id}.json`);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

test("T41 what nobody ever owned goes when its time is over, and not before", async () => {
  const { cluster, staging } = await watched("--initial-expiry", "2s");
  const begun = Date.now();
  const bundle = await stageBundle(staging, someBytes(10));
  await rounds(cluster, 5);
  if (Date.now() < begun + 1500) expect(await statusOf(staging, bundle)).toBe(200);
  await isGone(staging, bundle);
  expect(Date.now()).toBeGreaterThanOrEqual(begun + 2000);
  await until(() => (blobFiles(staging).length === 0 ? true : undefined));
});

test("T42 a pending owner keeps what was never downloaded, beyond its time", async () => {
  const { cluster, staging } = await watched("--initial-expiry", "300ms", "--lease", "300ms");
  cluster.pods.set("team", [driverPod("Pending")]);
  const bundle = await stageBundle(staging, someBytes(10));
  const begun = Date.now();
  await until(() => (Date.now() > begun + 600 ? true : undefined));
  await rounds(cluster, 3);
  expect(await statusOf(staging, bundle)).toBe(200);
  cluster.pods.set("team", []);
  await isGone(staging, bundle);
});

test("T43 a running owner keeps it; once it is gone, two looks are needed", async () => {
  const { cluster, staging } = await watched("--absence", "1s");
  cluster.pods.set("team", [driverPod("Running")]);
  const bundle = await stageBundle(staging, someBytes(10));
  expect((await download(staging, bundle)).status).toBe(200);
  await rounds(cluster, 10);
  expect(await statusOf(staging, bundle)).toBe(200);
  const begun = Date.now();
  cluster.pods.set("team", []);
  await isGone(staging, bundle);
  expect(Date.now()).toBeGreaterThanOrEqual(begun + 1000);
});

test("T43 an owner that comes back is not one that is gone", async () => {
  const { cluster, staging } = await watched("--absence", "1h");
  cluster.pods.set("team", [driverPod("Running")]);
  const bundle = await stageBundle(staging, someBytes(10));
  await rounds(cluster, 2);
  const record = () => staging.ask("GET", bundle.path, { headers: bundle.reader });
  cluster.pods.set("team", []);
  await rounds(cluster, 2);
  cluster.pods.set("team", [driverPod("Running")]);
  await rounds(cluster, 2);
  expect((await record()).status).toBe(200);
});

test("T44 an owner that has ended keeps it for the retention, from its end on", async () => {
  const { cluster, staging } = await watched("--retention", "1h");
  const [old, young] = [Date.now() - 2 * 3_600_000, Date.now() - 60_000];
  cluster.pods.set("team", [driverPod("Succeeded", {}, young)]);
  const bundle = await stageBundle(staging, someBytes(10));
  await rounds(cluster, 5);
  expect(await statusOf(staging, bundle)).toBe(200);
  cluster.pods.set("team", [driverPod("Succeeded", {}, old)]);
  const other = await stageBundle(staging, someBytes(20));
  await isGone(staging, other);
  expect(await statusOf(staging, bundle)).toBe(200);
});

test("T45 the bundles of a namespace that is gone go", async () => {
  const { cluster, staging } = await watched();
  const bundle = await stageBundle(staging, someBytes(10));
  cluster.pods.delete("team");
  await isGone(staging, bundle);
});

test.each([403, 500, 429, "hang", "cut"] as const)(
  "T45 what is in doubt (%s) stays, and the other bundles of the round go on",
  async (trouble) => {
    const { cluster, staging } = await watched("--initial-expiry", "200ms");
    const bundle = await stageBundle(staging, someBytes(10));
    cluster.troubles.set("team", trouble);
    cluster.pods.set("others", []);
    const other = await stageBundle(staging, someBytes(10), { owner: { ...usualOwner, namespace: "team" } });
    const gone = await staging.ask("POST", "/api/v1/bundles", {
      json: { owner: { ...usualOwner, namespace: "others" }, entries: [] },
    });
    expect(gone.status).toBe(201);
    await until(async () => {
      const headers = { authorization: `Bearer ${gone.text("token")}` };
      const { status } = await staging.ask("GET", `/api/v1/bundles/${gone.text("bundleId")}`, { headers });
      return status === 410 ? true : undefined;
    });
    if (trouble !== "hang") await rounds(cluster, 3);
    expect([await statusOf(staging, bundle), await statusOf(staging, other)]).toEqual([200, 200]);
    if (trouble !== "hang") {
      const ready = await staging.ask("GET", "/readyz");
      expect([ready.status, ready.body.toString()]).toEqual([503, expect.stringContaining("namespace team")]);
      cluster.troubles.clear();
      await isGone(staging, bundle);
      await until(async () => ((await staging.ask("GET", "/readyz")).status === 200 ? true : undefined));
    }
  },
);

test("T46 nothing goes while the cluster is down, and everything as usual when it is back", async () => {
  const { cluster, staging } = await watched("--initial-expiry", "200ms");
  await cluster.setDown(true);
  const bundle = await stageBundle(staging, someBytes(10));
  const unready = async () => ((await staging.ask("GET", "/readyz")).status === 503 ? true : undefined);
  await until(unready);
  const begun = Date.now();
  await until(() => (Date.now() > begun + 500 ? true : undefined));
  expect(await statusOf(staging, bundle)).toBe(200);
  await cluster.setDown(false);
  await isGone(staging, bundle);
});

test("T47 a pod with some of the labels only is no owner", async () => {
  const { cluster, staging } = await watched("--initial-expiry", "500ms");
  cluster.pods.set("team", [driverPod("Running", { "spark-app-selector": "other" })]);
  await isGone(staging, await stageBundle(staging, someBytes(10)));
});

test("T47 labels with any characters find their pods, drivers or not", async () => {
  const { cluster, staging } = await watched("--initial-expiry", "200ms");
  const labels = { "example.com/app name": "a=b,c&d/ü %20" };
  cluster.pods.set("team", [{ ...driverPod("Running"), metadata: { labels } }]);
  const bundle = await stageBundle(staging, someBytes(10), { owner: { ...usualOwner, labels } });
  await rounds(cluster, 10);
  expect(await statusOf(staging, bundle)).toBe(200);
});

test("contents stay for their grace after the last bundle with them, however long that one was there", async () => {
  const { cluster, staging } = await watched("--grace", "10min");
  cluster.pods.set("team", [driverPod("Running")]);
  const bundle = await stageBundle(staging, someBytes(10));
  const old = new Date(Date.now() - 24 * 3_600_000);
  const age = () => {
    for (const mark of marks(staging)) utimesSync(`${staging.store}/owned/${mark}`, old, old);
    for (const blob of blobFiles(staging)) utimesSync(`${staging.store}/blobs/${blob}`, old, old);
  };
  await rounds(cluster, 2);
  age();
  cluster.pods.set("team", []);
  await isGone(staging, bundle);
  // A look at another bundle's owner is one of a round that has seen the first one gone.
  const other = await stageBundle(staging, someBytes(20, 2));
  expect(await statusOf(staging, other)).toBe(200);
  await rounds(cluster, 3);
  expect(blobFiles(staging)).toHaveLength(2);
  age();
  await until(() => (blobFiles(staging).length <= 1 ? true : undefined));
});

test("T48 a download that has begun is finished, and the content goes then", async () => {
  const { cluster, staging } = await watched();
  cluster.pods.set("team", [driverPod("Running")]);
  const bytes = someBytes(30_000_000);
  const bundle = await stageBundle(staging, bytes);
  const url = {
    host: "127.0.0.1",
    port: staging.port,
    path: `${bundle.path}/entries/0`,
    headers: bundle.reader,
  };
  const response = await new Promise<Parameters<typeof readAnswer>[0]>((resolve, reject) => {
    get(url, resolve).on("error", reject);
  });
  response.pause();
  await rounds(cluster, 2);
  cluster.pods.set("team", []);
  await isGone(staging, bundle);
  // Older than the grace, and still there: it is being read.
  const [blob = ""] = blobFiles(staging).map(String);
  const old = new Date(Date.now() - 3_600_000);
  utimesSync(`${staging.store}/blobs/${blob}`, old, old);
  const swept = (await stageBundle(staging, someBytes(10), { ttlSeconds: 1 })).path;
  expect(swept).not.toBe("");
  await until(() => (marks(staging).length <= 1 ? true : undefined));
  expect(blobFiles(staging).map(String)).toContain(blob);
  const { status, body } = await readAnswer(response);
  expect([status, contentOf(body).digest]).toEqual([200, contentOf(bytes).digest]);
  await until(() => (blobFiles(staging).length === 0 ? true : undefined));
});

test("T50 the server's own token is read again when it has changed", async () => {
  const { cluster, staging } = await watched();
  await stageBundle(staging, someBytes(10));
  await rounds(cluster, 1);
  writeFileSync(cluster.tokenFile, "the-next-one");
  cluster.troubles.set("team", 401);
  await until(() => cluster.asked.find(({ authorization }) => authorization === "Bearer the-next-one"));
});

test("T52 a restart gives nothing a new life, and takes none", async () => {
  const { cluster, staging } = await watched("--initial-expiry", "3s", "--lease", "3s");
  const begun = Date.now();
  const labels = { ...usualOwner.labels, "spark-app-selector": "spark-nobody" };
  const unowned = await stageBundle(staging, someBytes(10), { owner: { ...usualOwner, labels } });
  cluster.pods.set("team", [driverPod("Running")]);
  const used = await stageBundle(staging, someBytes(20));
  expect((await download(staging, used)).status).toBe(200);
  await rounds(cluster, 2, "team");
  const made = await staging.ask("POST", "/api/v0/resources", usualForm("content"));
  const before = recordOf(staging, "team", unowned);
  const usedAt = recordOf(staging, "team", used)?.history.usedAtMs;
  expect(usedAt).toBeGreaterThan(0);
  const first = await staging.restart("SIGKILL");
  expect([before, undefined]).toContainEqual(recordOf(first, "team", unowned));
  const next = await first.restart("SIGTERM");
  expect([before, undefined]).toContainEqual(recordOf(next, "team", unowned));
  await isGone(next, unowned);
  await rounds(cluster, 3, "team");
  expect(await statusOf(next, used)).toBe(200);
  expect(recordOf(next, "team", used)?.history.usedAtMs).toBe(usedAt);
  expect(Date.now()).toBeGreaterThanOrEqual(begun + 3000);
  cluster.pods.set("team", []);
  await isGone(next, used);
  const headers = { authorization: made.text("resourceSecret") };
  const path = `/api/v0/resources/${made.text("resourceId")}`;
  await until(async () => ((await next.ask("GET", path, { headers })).status === 404 ? true : undefined));
});

test("uploads with which nobody goes on are removed", async () => {
  const { staging } = await watched("--upload-idle", "200ms");
  const { digest, size } = contentOf(someBytes(10));
  await staging.ask("POST", "/api/v1/uploads", { json: { namespace: "team", digest, size } });
  await until(() => (readdirSync(`${staging.store}/uploads`).length === 0 ? true : undefined));
});
