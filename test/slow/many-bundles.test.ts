import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { BundleRecord } from "../../src/staging-server/store/bundle-record.ts";
import { storeLayout } from "../../src/staging-server/store/layout.ts";
import { temporaryDirectory } from "../acceptance/programs.ts";
import { driverPod, openFakeCluster } from "../staging/fake-cluster.ts";
import { contentOf, defaultOwner, entryOf, someBytes, startStaging, until } from "../staging/staging-program.ts";

test("T51 a cleanup of 10,000 bundles in 50 namespaces lists each namespace once", async () => {
  const cluster = await openFakeCluster();
  const store = join(temporaryDirectory(), "store");
  const names = Array.from({ length: 50 }, (_, index) => `team-${index}`);
  const { digest, size } = contentOf(someBytes(10));
  for (const namespace of names) {
    cluster.pods.set(namespace, [driverPod("Running")]);
    const directory = storeLayout(store).bundlesOf(namespace);
    mkdirSync(directory, { recursive: true });
    for (let index = 0; index < 200; index += 1) {
      const record: BundleRecord = {
        bundleId: randomUUID(),
        owner: { namespace, labels: { ...defaultOwner.labels }, type: "Pod" },
        entries: [entryOf("app.jar", { digest, size })],
        createdAtMs: Date.now(),
        leaseUntilMs: 0,
        history: {},
      };
      writeFileSync(join(directory, `${record.bundleId}.json`), JSON.stringify(record));
    }
  }
  const options = [...cluster.options, "--auth", "none", "--clean-interval", "100ms"];
  const staging = await startStaging(options, { store });
  const metric = async (name: string) => {
    const { body } = await staging.sendRequest("GET", "/metrics");
    return Number(new RegExp(`^firesteel_staging_${name} (.*)$`, "m").exec(body.toString())?.[1]);
  };
  await until(async () => ((await metric("bundles")) === 10_000 ? true : undefined));
  // Other programs may delay a cleanup, so wait for a fast one.
  await until(async () => {
    const seconds = await metric("cleaner_round_seconds");
    return seconds > 0 && seconds < 5 ? true : undefined;
  });
  const lists = names.map((name) => cluster.lists(name));
  expect(Math.max(...lists) - Math.min(...lists)).toBeLessThanOrEqual(1);
  const others = cluster.requests.filter(({ line }) => !line.includes("/pods?labelSelector=spark-role%3Ddriver"));
  expect(others).toEqual([]);
  expect(readdirSync(storeLayout(store).bundlesOf("team-7"))).toHaveLength(200);
});
