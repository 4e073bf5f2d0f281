import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeHost } from "../../host/node-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { testApi } from "../../kube-client/test-api.ts";
import type { ApplicationRecord } from "../model/application.ts";
import type { ScheduleRecord } from "../model/schedules.ts";
import { testRecord } from "../model/test-application.ts";
import { openDatabaseStores } from "./database/database-stores.ts";
import type { RecordStores } from "./record-store.ts";
import { secretStores } from "./secret-stores.ts";

/** Opens the stores at one location; each call as another process does after the earlier one has ended. */
type Open = () => Promise<RecordStores>;

const host = nodeHost();

function testLocation() {
  const { transport } = testApi();
  const client = kubeClient({
    ...{ transport, server: "https://api", clock: host.clock, log: () => {}, requestTimeoutMs: 1000 },
  });
  return { client, host, namespace: "jobs", gateway: "gateway", onUnreadable: () => {} };
}

function secrets(): Open {
  const location = testLocation();
  return async () => secretStores(location);
}

function database(): Open {
  const directory = mkdtempSync(join(tmpdir(), "store-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return () => openDatabaseStores({ ...testLocation(), master: "k8s://https://api", directory });
}

function application(number: number, changes: Partial<ApplicationRecord> = {}): ApplicationRecord {
  return testRecord({ key: `api-${number}`, id: String(number), number, ...changes });
}

const schedule: ScheduleRecord = {
  ...{ key: "nightly-1", uid: "u", requestDigest: "d", createdMs: 1, namespace: "jobs", name: "nightly" },
  owner: undefined,
  ...{ isSuspended: false },
  rules: { schedule: "30 2 * * *", concurrencyPolicy: "Allow" },
  application: { name: "nightly", app: "local:///app.jar" },
};

describe.each([
  ["Secrets", secrets],
  ["a database", database],
] as const)("records in %s", (_, locate) => {
  test("are listed in the order of their numbers, and survive the process", async () => {
    const open = locate();
    const first = await open();
    const records = [2, 0, 1].map((number) => application(number, { name: `é 😀 \u0000 '${number}"` }));
    expect(await Promise.all(records.map(first.applications.create))).toEqual([true, true, true]);
    expect(await first.schedules.create(schedule)).toBe(true);
    const expected = [records[1], records[2], records[0]];
    expect(await first.applications.list()).toEqual(expected);
    await first.close();
    const second = await open();
    expect(await second.applications.list()).toEqual(expected);
    expect(await second.schedules.list()).toEqual([schedule]);
    await second.close();
  });

  test("are not created with the key of another record", async () => {
    const { applications, close } = await locate()();
    const created = [application(1), application(1, { podName: "other" })].map(applications.create);
    expect(await Promise.all(created)).toEqual([true, false]);
    expect(await applications.list()).toEqual([application(1)]);
    await close();
  });

  test("have the content of the latest update, and cannot be updated when they are removed", async () => {
    const open = locate();
    const { applications, close } = await open();
    await applications.create(application(1));
    await applications.create(application(2));
    await Promise.all([1, 2, 3].map((priority) => applications.update(application(1, { priority }))));
    await applications.remove("api-2");
    await applications.remove("api-3");
    await expect(applications.update(application(2))).rejects.toThrow();
    await close();
    const again = await open();
    expect(await again.applications.list()).toEqual([application(1, { priority: 3 })]);
    await again.close();
  });

  test("get IDs that no later call and no later process gets", async () => {
    const open = locate();
    const first = await open();
    const reserved = await Promise.all([first, first].map(({ applications }) => applications.reserveIds(100)));
    expect(reserved.toSorted((a, b) => a - b)).toEqual([0, 100]);
    await first.close();
    const second = await open();
    expect(await second.applications.reserveIds(1)).toBe(200);
    expect(await second.applications.reserveIds(1)).toBe(201);
    await second.close();
  });
});
