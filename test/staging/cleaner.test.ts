import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { BundleRecord } from "../../src/staging-server/store/bundle-record.ts";
import { storeLayout } from "../../src/staging-server/store/layout.ts";
import { driverPod, type FakeCluster, openFakeCluster } from "./fake-cluster.ts";
import {
  contentOf,
  defaultForm,
  defaultOwner,
  readResponse,
  type StagedBundle,
  type Staging,
  someBytes,
  stageBundle,
  startStaging,
  until,
} from "./staging-program.ts";

const quick = ["--clean-interval", "50ms", "--absence", "150ms", "--retention", "1s", "--grace", "2s"];

async function watched(...more: string[]): Promise<{ cluster: FakeCluster; staging: Staging }> {
  const cluster = await openFakeCluster();
  cluster.pods.set("team", []);
  const staging = await startStaging([...cluster.options, "--auth", "none", ...quick, ...more]);
  return { cluster, staging };
}

const statusOf = async (staging: Staging, { path, reader }: StagedBundle) =>
  (await staging.sendRequest("GET", path, { headers: reader })).status;

const isRemoved = (staging: Staging, bundle: StagedBundle) =>
  until(async () => ((await statusOf(staging, bundle)) === 410 ? true : undefined));

/** Waits until the cleaner has listed a namespace this many times. */
async function rounds(cluster: FakeCluster, count: number, namespace = "team"): Promise<void> {
  const before = cluster.lists(namespace);
  await until(() => (cluster.lists(namespace) >= before + count ? true : undefined));
}

const download = (staging: Staging, { path, reader }: StagedBundle) =>
  staging.sendRequest("GET", `${path}/entries/0`, { headers: reader });

const blobFiles = (staging: Staging) =>
  readdirSync(`${staging.store}/blobs`, { recursive: true }).filter((path) => /[0-9a-f]{62}$/.test(String(path)));

const marks = (staging: Staging) =>
  readdirSync(`${staging.store}/owned`, { recursive: true }).filter((path) => /-\d+$/.test(String(path)));

/** Reads the stored record of a bundle. */
function recordOf({ store }: Staging, namespace: string, { id }: StagedBundle): BundleRecord | undefined {
  const path = join(storeLayout(store).bundlesOf(namespace), `${id}.json`);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

test("T41 a bundle without an owner is removed when it expires, and not earlier", async () => {
  const { cluster, staging } = await watched("--initial-expiry", "2s");
  const startedMs = Date.now();
  const bundle = await stageBundle(staging, someBytes(10));
  await rounds(cluster, 5);
  if (Date.now() < startedMs + 1500) expect(await statusOf(staging, bundle)).toBe(200);
  await isRemoved(staging, bundle);
  expect(Date.now()).toBeGreaterThanOrEqual(startedMs + 2000);
  await until(() => (blobFiles(staging).length === 0 ? true : undefined));
});

test("T42 a pending owner keeps an undownloaded bundle beyond its expiry", async () => {
  const { cluster, staging } = await watched("--initial-expiry", "300ms", "--lease", "300ms");
  cluster.pods.set("team", [driverPod("Pending")]);
  const bundle = await stageBundle(staging, someBytes(10));
  const startedMs = Date.now();
  await until(() => (Date.now() > startedMs + 600 ? true : undefined));
  await rounds(cluster, 3);
  expect(await statusOf(staging, bundle)).toBe(200);
  cluster.pods.set("team", []);
  await isRemoved(staging, bundle);
});

test("T43 a running owner keeps its bundle, which is removed after the absence time", async () => {
  const { cluster, staging } = await watched("--absence", "1s");
  cluster.pods.set("team", [driverPod("Running")]);
  const bundle = await stageBundle(staging, someBytes(10));
  expect((await download(staging, bundle)).status).toBe(200);
  await rounds(cluster, 10);
  expect(await statusOf(staging, bundle)).toBe(200);
  const startedMs = Date.now();
  cluster.pods.set("team", []);
  await isRemoved(staging, bundle);
  expect(Date.now()).toBeGreaterThanOrEqual(startedMs + 1000);
});

test("T43 a bundle is kept when its owner returns", async () => {
  const { cluster, staging } = await watched("--absence", "1h");
  cluster.pods.set("team", [driverPod("Running")]);
  const bundle = await stageBundle(staging, someBytes(10));
  await rounds(cluster, 2);
  const record = () => staging.sendRequest("GET", bundle.path, { headers: bundle.reader });
  cluster.pods.set("team", []);
  await rounds(cluster, 2);
  cluster.pods.set("team", [driverPod("Running")]);
  await rounds(cluster, 2);
  expect((await record()).status).toBe(200);
});

test("T44 an ended owner keeps its bundle for the retention time after its end", async () => {
  const { cluster, staging } = await watched("--retention", "1h");
  const [old, recent] = [Date.now() - 2 * 3_600_000, Date.now() - 60_000];
  cluster.pods.set("team", [driverPod("Succeeded", {}, recent)]);
  const bundle = await stageBundle(staging, someBytes(10));
  await rounds(cluster, 5);
  expect(await statusOf(staging, bundle)).toBe(200);
  cluster.pods.set("team", [driverPod("Succeeded", {}, old)]);
  const other = await stageBundle(staging, someBytes(20));
  await isRemoved(staging, other);
  expect(await statusOf(staging, bundle)).toBe(200);
});

test("T45 the bundles of a deleted namespace are removed", async () => {
  const { cluster, staging } = await watched();
  const bundle = await stageBundle(staging, someBytes(10));
  cluster.pods.delete("team");
  await isRemoved(staging, bundle);
});

test.each([403, 500, 429, "hang", "cut"] as const)(
  "T45 bundles with unknown owners (%s) stay while other bundles are removed",
  async (fault) => {
    const { cluster, staging } = await watched("--initial-expiry", "200ms");
    const bundle = await stageBundle(staging, someBytes(10));
    cluster.faults.set("team", fault);
    cluster.pods.set("others", []);
    const other = await stageBundle(staging, someBytes(10), {
      owner: { ...defaultOwner, namespace: "team" },
    });
    const gone = await staging.sendRequest("POST", "/api/v1/bundles", {
      json: { owner: { ...defaultOwner, namespace: "others" }, entries: [] },
    });
    expect(gone.status).toBe(201);
    await until(async () => {
      const headers = { authorization: `Bearer ${gone.text("token")}` };
      const { status } = await staging.sendRequest("GET", `/api/v1/bundles/${gone.text("bundleId")}`, {
        headers,
      });
      return status === 410 ? true : undefined;
    });
    if (fault !== "hang") await rounds(cluster, 3);
    expect([await statusOf(staging, bundle), await statusOf(staging, other)]).toEqual([200, 200]);
    if (fault !== "hang") {
      const ready = await staging.sendRequest("GET", "/readyz");
      expect([ready.status, ready.body.toString()]).toEqual([503, expect.stringContaining("namespace team")]);
      cluster.faults.clear();
      await isRemoved(staging, bundle);
      await until(async () => ((await staging.sendRequest("GET", "/readyz")).status === 200 ? true : undefined));
    }
  },
);

test("T46 no bundle is removed while the cluster is unreachable, and cleanup continues afterwards", async () => {
  const { cluster, staging } = await watched("--initial-expiry", "200ms");
  await cluster.setDown(true);
  const bundle = await stageBundle(staging, someBytes(10));
  const unready = async () => ((await staging.sendRequest("GET", "/readyz")).status === 503 ? true : undefined);
  await until(unready);
  const startedMs = Date.now();
  await until(() => (Date.now() > startedMs + 500 ? true : undefined));
  expect(await statusOf(staging, bundle)).toBe(200);
  await cluster.setDown(false);
  await isRemoved(staging, bundle);
});

test("T47 a pod with only some of the labels is not an owner", async () => {
  const { cluster, staging } = await watched("--initial-expiry", "500ms");
  cluster.pods.set("team", [driverPod("Running", { "spark-app-selector": "other" })]);
  await isRemoved(staging, await stageBundle(staging, someBytes(10)));
});

test("T47 labels with special characters select their pods", async () => {
  const { cluster, staging } = await watched("--initial-expiry", "200ms");
  const labels = { "example.com/app name": "a=b,c&d/ü %20" };
  cluster.pods.set("team", [{ ...driverPod("Running"), metadata: { labels } }]);
  const bundle = await stageBundle(staging, someBytes(10), { owner: { ...defaultOwner, labels } });
  await rounds(cluster, 10);
  expect(await statusOf(staging, bundle)).toBe(200);
});

test("contents stay for the grace period after their last bundle, independent of its age", async () => {
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
  await isRemoved(staging, bundle);
  // A later cleanup that lists the owner of another bundle has also processed the removed bundle.
  const other = await stageBundle(staging, someBytes(20, 2));
  expect(await statusOf(staging, other)).toBe(200);
  await rounds(cluster, 3);
  expect(blobFiles(staging)).toHaveLength(2);
  age();
  await until(() => (blobFiles(staging).length <= 1 ? true : undefined));
});

test("T48 a running download completes before its content is removed", async () => {
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
  const response = await new Promise<Parameters<typeof readResponse>[0]>((resolve, reject) => {
    get(url, resolve).on("error", reject);
  });
  response.pause();
  await rounds(cluster, 2);
  cluster.pods.set("team", []);
  await isRemoved(staging, bundle);
  // Older than the grace period, and kept because it is being read.
  const [blob = ""] = blobFiles(staging).map(String);
  const old = new Date(Date.now() - 3_600_000);
  utimesSync(`${staging.store}/blobs/${blob}`, old, old);
  const swept = (await stageBundle(staging, someBytes(10), { ttlSeconds: 1 })).path;
  expect(swept).not.toBe("");
  await until(() => (marks(staging).length <= 1 ? true : undefined));
  expect(blobFiles(staging).map(String)).toContain(blob);
  const { status, body } = await readResponse(response);
  expect([status, contentOf(body).digest]).toEqual([200, contentOf(bytes).digest]);
  await until(() => (blobFiles(staging).length === 0 ? true : undefined));
});

test("T50 the server reads its changed token again", async () => {
  const { cluster, staging } = await watched();
  await stageBundle(staging, someBytes(10));
  await rounds(cluster, 1);
  writeFileSync(cluster.tokenFile, "the-next-one");
  cluster.faults.set("team", 401);
  await until(() => cluster.requests.find(({ authorization }) => authorization === "Bearer the-next-one"));
});

test("T52 a restart neither extends nor shortens a lease", async () => {
  const { cluster, staging } = await watched("--initial-expiry", "3s", "--lease", "3s");
  const startedMs = Date.now();
  const labels = { ...defaultOwner.labels, "spark-app-selector": "spark-without-pod" };
  const unowned = await stageBundle(staging, someBytes(10), { owner: { ...defaultOwner, labels } });
  cluster.pods.set("team", [driverPod("Running")]);
  const used = await stageBundle(staging, someBytes(20));
  expect((await download(staging, used)).status).toBe(200);
  await rounds(cluster, 2, "team");
  const made = await staging.sendRequest("POST", "/api/v0/resources", defaultForm("content"));
  const before = recordOf(staging, "team", unowned);
  const usedAt = recordOf(staging, "team", used)?.history.usedAtMs;
  expect(usedAt).toBeGreaterThan(0);
  const first = await staging.restart("SIGKILL");
  expect([before, undefined]).toContainEqual(recordOf(first, "team", unowned));
  const next = await first.restart("SIGTERM");
  expect([before, undefined]).toContainEqual(recordOf(next, "team", unowned));
  await isRemoved(next, unowned);
  await rounds(cluster, 3, "team");
  expect(await statusOf(next, used)).toBe(200);
  expect(recordOf(next, "team", used)?.history.usedAtMs).toBe(usedAt);
  expect(Date.now()).toBeGreaterThanOrEqual(startedMs + 3000);
  cluster.pods.set("team", []);
  await isRemoved(next, used);
  const headers = { authorization: made.text("resourceSecret") };
  const path = `/api/v0/resources/${made.text("resourceId")}`;
  await until(async () => ((await next.sendRequest("GET", path, { headers })).status === 404 ? true : undefined));
});

test("idle uploads are removed", async () => {
  const { staging } = await watched("--upload-idle", "200ms");
  const { digest, size } = contentOf(someBytes(10));
  await staging.sendRequest("POST", "/api/v1/uploads", { json: { namespace: "team", digest, size } });
  await until(() => (readdirSync(`${staging.store}/uploads`).length === 0 ? true : undefined));
});
