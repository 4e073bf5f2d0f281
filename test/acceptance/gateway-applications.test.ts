import { describe, expect, test } from "vitest";
import type { OpenApplications } from "../../src/gateway/applications/open-applications.ts";
import type { RecordStores } from "../../src/gateway/records/record-store.ts";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { Transport } from "../../src/kube/transport.ts";
import { socketError } from "../../src/kube-client/test-api.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call, objectsIn } from "./embedded-api.ts";
import {
  driversIn,
  endedStatus,
  eventually,
  killedAfter,
  openDatabaseRecords,
  openGatewayApplications,
  runningStatus,
  setStatus,
  testApplication,
  withCluster,
} from "./gateway-cluster.ts";
import { temporaryDirectory } from "./programs.ts";

async function accepted(applications: OpenApplications, changes = {}) {
  const result = await applications.submit(testApplication(changes));
  if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
  return result.application.record;
}

const stateOf = (applications: OpenApplications, key: string) => applications.get(key)?.state;

describe("an application", () => {
  test("is queued, pending and running, and its end outlives the pod and the gateway", async () => {
    await withCluster(async (cluster) => {
      const applications = await openGatewayApplications(cluster);
      const { key, podName } = await accepted(applications, { name: "Nightly ETL" });
      expect(podName).toMatch(/^nightly-etl-api-0-[0-9a-f]{8}-driver$/);
      await eventually(() => (stateOf(applications, key) === "pending" ? true : undefined));
      await setStatus(cluster, podName, runningStatus);
      await eventually(() => (stateOf(applications, key) === "running" ? true : undefined));
      await setStatus(cluster, podName, endedStatus(3));
      await eventually(() => (applications.get(key)?.record.end === undefined ? undefined : true));
      expect(applications.get(key)).toMatchObject({
        state: "failed",
        record: { end: { exitCode: 3, hasStarted: true } },
      });
      await applications.close();
      const again = await openGatewayApplications(cluster);
      expect(again.find("api", "0")).toMatchObject({ state: "failed", record: { name: "Nightly ETL" } });
      await again.close();
    });
  });

  test("is killed in every state, and stays killed", async () => {
    await withCluster(async (cluster) => {
      const applications = await openGatewayApplications(cluster);
      const waiting = await accepted(applications);
      expect(await applications.kill(waiting.key, "alice")).toBe(true);
      const { key, podName } = await accepted(applications);
      await eventually(async () => (await driversIn(cluster)).find(({ metadata }) => metadata?.name === podName));
      await setStatus(cluster, podName, runningStatus);
      await eventually(() => (stateOf(applications, key) === "running" ? true : undefined));
      expect(await applications.kill(key, "alice")).toBe(true);
      for (const each of [waiting.key, key])
        await eventually(() => (stateOf(applications, each) === "killed" ? true : undefined));
      await eventually(async () => ((await driversIn(cluster)).length === 0 ? true : undefined));
      expect(await applications.kill(key, "alice")).toBe(false);
      await applications.close();
    });
  });

  test("that is removed is unknown at once, and its record goes with its driver", async () => {
    await withCluster(async (cluster) => {
      const applications = await openGatewayApplications(cluster);
      const { key, id } = await accepted(applications, { name: "daily", hasUniqueName: true });
      await applications.remove(key, "alice");
      expect(applications.find("api", id)).toBeUndefined();
      expect([...applications.list()]).toEqual([]);
      expect((await applications.submit(testApplication({ name: "daily", hasUniqueName: true }))).kind).toBe(
        "accepted",
      );
      await applications.close();
      const again = await openGatewayApplications(cluster);
      expect([...again.list()].map(({ record }) => record.id)).not.toContain(id);
      await again.close();
    });
  });

  test("with a known idempotency key is the earlier one, and conflicts if it differs", async () => {
    await withCluster(async (cluster) => {
      const applications = await openGatewayApplications(cluster);
      const once = testApplication({ idempotencyKey: "run-1" });
      const results = await Promise.all(Array.from({ length: 5 }, () => applications.submit(once)));
      expect(results.map(({ kind }) => kind).sort()).toEqual(["accepted", ...Array(4).fill("repeated")]);
      const other = { ...once, submission: { ...once.submission, appArgs: ["other"] } };
      expect(await applications.submit(other)).toEqual({ kind: "conflict", with: "idempotencyKey", id: "0" });
      await applications.close();
    });
  });

  test("with invalid settings is rejected with every problem, and leaves nothing", async () => {
    await withCluster(async (cluster) => {
      const applications = await openGatewayApplications(cluster);
      const { submission } = testApplication();
      const settings = { "spark.executor.memory": "2x", "spark.executor.instances": "-1" };
      const result = await applications.submit(testApplication({ submission: { ...submission, settings } }));
      expect(result).toMatchObject({ kind: "rejected", issues: [{ message: /memory/i }, {}] });
      expect([...applications.list()]).toEqual([]);
      await applications.close();
    });
  });
});

test("a request to kill that was stored is carried out by the next process", async () => {
  await withCluster(async (cluster) => {
    let isDeleting = false;
    const killed = await openGatewayApplications(cluster, async (request) => {
      if (request.method !== "DELETE") return cluster.transport(request);
      isDeleting = true;
      return new Promise(() => {});
    });
    const { key, podName } = await accepted(killed);
    await eventually(async () => (await driversIn(cluster)).find(({ metadata }) => metadata?.name === podName));
    await eventually(() => (stateOf(killed, key) === "pending" ? true : undefined));
    void killed.kill(key, "alice");
    await eventually(() => (isDeleting ? true : undefined));
    const again = await openGatewayApplications(cluster);
    await eventually(() => (stateOf(again, key) === "killed" ? true : undefined));
    expect(await driversIn(cluster)).toEqual([]);
    await again.close();
  });
});

test("the first submission of an application does not look for earlier drivers", async () => {
  await withCluster(async (cluster) => {
    const paths: string[] = [];
    const applications = await openGatewayApplications(cluster, (request) => {
      if (request.method === "GET") paths.push(request.path);
      return cluster.transport(request);
    });
    const { key } = await accepted(applications);
    await eventually(() => (stateOf(applications, key) === "pending" ? true : undefined));
    expect(paths.filter((path) => path.includes("spark-app-selector"))).toEqual([]);
    await applications.close();
  });
});

/** UIDs of the owners of objects of a kind. */
async function ownersOf(cluster: EmbeddedCluster, kind: string): Promise<ReadonlySet<string>> {
  const objects = (await objectsIn(cluster, "default")).filter((object) => object.kind === kind);
  return new Set(objects.flatMap(({ metadata }) => metadata.ownerReferences?.map(({ uid = "" }) => uid) ?? []));
}

/** Opens the records for one process after another. With a database, the earlier one writes nothing more. */
function recordsIn(kind: "Secrets" | "a database", cluster: EmbeddedCluster) {
  const directory = temporaryDirectory();
  let opened: RecordStores | undefined;
  return async () => {
    await opened?.close();
    opened = kind === "Secrets" ? undefined : await openDatabaseRecords(cluster, directory);
    return opened === undefined ? {} : { store: opened.applications };
  };
}

test.each(["Secrets", "a database"] as const)(
  "a gateway with records in %s that is killed after any request loses no accepted application, and submits none twice",
  async (kind) => {
    await withCluster(async (cluster) => {
      const openRecords = recordsIn(kind, cluster);
      for (let requests = 0; requests < 24; requests += 1) {
        const before = new Set((await driversIn(cluster)).map(({ metadata }) => metadata?.uid));
        const { transport, isDead } = killedAfter(cluster.transport, requests);
        const acknowledged: string[] = [];
        const first = openGatewayApplications(cluster, transport, await openRecords()).then((applications) =>
          Promise.all(
            [1, 2].map(async () => {
              acknowledged.push((await accepted(applications)).key);
            }),
          ),
        );
        await Promise.race([first, eventually(() => (isDead() ? true : undefined))]);
        const again = await openGatewayApplications(cluster, cluster.transport, await openRecords());
        const keys = [...again.list()].map(({ record }) => record.key);
        expect(keys).toEqual(expect.arrayContaining(acknowledged));
        for (const key of keys) await eventually(() => (stateOf(again, key) === "pending" ? true : undefined));
        const drivers = (await driversIn(cluster)).filter(({ metadata }) => !before.has(metadata?.uid));
        const submitted = drivers.map(({ metadata }) => metadata?.labels?.["firesteel.dev/application"]);
        expect(submitted).toEqual([...new Set(submitted)]);
        for (const type of ["Service", "NetworkPolicy"])
          await eventually(async () => ((await ownersOf(cluster, type)).size >= drivers.length ? true : undefined));
        for (const key of keys) await again.remove(key, undefined);
        await eventually(async () => ((await driversIn(cluster)).length === 0 ? true : undefined));
        await again.close();
      }
    });
  },
);

test("a driver that is deleted while the API is not watched ends its application", async () => {
  await withCluster(async (cluster) => {
    let isCut = false;
    const transport: Transport = async (request) => {
      const isWatch = request.path.includes("watch=");
      if (isWatch || (isCut && request.path.includes("labelSelector="))) throw socketError("ECONNRESET");
      return cluster.transport(request);
    };
    const applications = await openGatewayApplications(cluster, transport);
    await applications.synced;
    isCut = true;
    const { key, podName } = await accepted(applications);
    await eventually(() => (stateOf(applications, key) === "pending" ? true : undefined));
    await eventually(() => (applications.get(key)?.record.appId === undefined ? undefined : true));
    await call(cluster, "DELETE", `${resourcePath(resourceTypes.pod, "default", podName)}?gracePeriodSeconds=0`);
    isCut = false;
    await eventually(() => applications.get(key)?.record.end);
    expect(applications.get(key)).toMatchObject({ state: "failed", record: { end: { reason: "Deleted" } } });
    await applications.close();
  });
});
