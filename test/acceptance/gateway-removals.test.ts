import { describe, expect, test } from "vitest";
import type { OpenApplications } from "../../src/gateway/applications/open-applications.ts";
import type { ApiRequest, Transport } from "../../src/kube/transport.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import {
  driversIn,
  endedStatus,
  eventually,
  openGatewayApplications,
  setStatus,
  testApplication,
  withCluster,
} from "./gateway-cluster.ts";

type IsRejected = (request: ApiRequest) => boolean;

/** API that rejects some requests with a status, and counts them. */
function rejecting({ transport }: EmbeddedCluster, code: number) {
  let isRejected: IsRejected = () => false;
  let count = 0;
  const rejects: Transport = async (request) => {
    if (!isRejected(request)) return transport(request);
    count += 1;
    const status = { kind: "Status", apiVersion: "v1", status: "Failure", code, message: "not now" };
    const body = [Buffer.from(JSON.stringify(status))];
    return { status: code, headers: { "content-type": "application/json" }, body: asyncOf(body) };
  };
  return {
    transport: rejects,
    count: () => count,
    reject(next: IsRejected) {
      isRejected = next;
    },
  };
}

async function* asyncOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

const deletes =
  (plural: string): IsRejected =>
  ({ method, path }) =>
    method === "DELETE" && path.includes(`/${plural}/`);

/** Submits the run of a schedule, and waits for its end. */
async function endedRun(cluster: EmbeddedCluster, applications: OpenApplications) {
  const schedule = { uid: "u", name: "nightly", scheduledMs: 0 };
  const result = await applications.submit(testApplication({ schedule }));
  if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
  const { key, podName } = result.application.record;
  await eventually(() => applications.get(key)?.driver);
  await setStatus(cluster, podName, endedStatus(0));
  await eventually(() => (applications.get(key)?.isExplained === true ? true : undefined));
  return key;
}

describe("an ended run of a schedule", () => {
  test("stays while its driver cannot be deleted, and is removed with it afterwards", async () => {
    await withCluster(async (cluster) => {
      const { transport, reject } = rejecting(cluster, 403);
      const applications = await openGatewayApplications(cluster, transport);
      const key = await endedRun(cluster, applications);
      reject(deletes("pods"));
      await expect(applications.remove(key, "alice")).rejects.toThrow("not now");
      expect(applications.get(key)?.state).toBe("succeeded");
      reject(() => false);
      await applications.remove(key, "alice");
      expect([applications.get(key), await driversIn(cluster)]).toEqual([undefined, []]);
      await applications.close();
    });
  });

  test("stays while its record cannot be removed, and does not appear again afterwards", async () => {
    await withCluster(async (cluster) => {
      const { transport, reject } = rejecting(cluster, 403);
      const applications = await openGatewayApplications(cluster, transport);
      const key = await endedRun(cluster, applications);
      reject(deletes("secrets"));
      await expect(applications.remove(key, "alice")).rejects.toThrow("not now");
      expect(applications.get(key)?.state).toBe("succeeded");
      reject(() => false);
      await applications.remove(key, "alice");
      await applications.close();
      const again = await openGatewayApplications(cluster);
      expect([...again.list()]).toEqual([]);
      await again.close();
    });
  });
});

test("a run that is no longer kept is removed with its driver, and stays while the API rejects that", async () => {
  await withCluster(async (cluster) => {
    const { transport, reject } = rejecting(cluster, 403);
    const first = await openGatewayApplications(cluster, transport);
    const key = await endedRun(cluster, first);
    await first.close();
    const retention = { keepMs: 0, maxEnded: 0 };
    for (const plural of ["pods", "secrets"]) {
      reject(deletes(plural));
      const logged: string[] = [];
      const log = (_level: string, text: string) => void logged.push(text);
      const rejected = await openGatewayApplications(cluster, transport, { retention, log });
      await eventually(() => logged.find((text) => text === "An application cannot be removed, and is removed again."));
      expect([plural, rejected.get(key)?.state]).toEqual([plural, "succeeded"]);
      await rejected.close();
    }
    reject(() => false);
    const again = await openGatewayApplications(cluster, transport, { retention });
    await eventually(() => (again.get(key) === undefined ? true : undefined));
    expect(await driversIn(cluster)).toEqual([]);
    await again.close();
  });
});

test("the driver of an attempt that is restarted is deleted as soon as the API permits it", async () => {
  await withCluster(async (cluster) => {
    const { transport, reject, count } = rejecting(cluster, 403);
    const applications = await openGatewayApplications(cluster, transport);
    const lifetime = { restartPolicy: { type: "OnFailure", onFailureRetries: 1, onFailureRetryInterval: 0 } } as const;
    const result = await applications.submit(testApplication({ lifetime }));
    if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
    const { key, podName } = result.application.record;
    await eventually(() => applications.get(key)?.driver);
    reject(deletes("pods"));
    await setStatus(cluster, podName, endedStatus(1));
    await eventually(() => (count() > 1 ? true : undefined));
    reject(() => false);
    await eventually(async () => {
      const names = (await driversIn(cluster)).map(({ metadata }) => metadata?.name);
      return names.length === 1 && names[0] !== podName ? true : undefined;
    });
    await applications.close();
  });
});

describe("an application whose record the API", () => {
  const creations: IsRejected = ({ method, path, body }) =>
    method === "POST" && path.includes("/secrets") && String(body).includes("gateway-record");

  test.each([403, 413, 422])("rejects with %i is rejected with the reason, and leaves nothing", async (status) => {
    await withCluster(async (cluster) => {
      const { transport, reject } = rejecting(cluster, status);
      const applications = await openGatewayApplications(cluster, transport);
      reject(creations);
      const result = await applications.submit(testApplication());
      expect(result).toMatchObject({ kind: "rejected", issues: [{ message: expect.stringContaining("not now") }] });
      expect([...applications.list()]).toEqual([]);
      await applications.close();
    });
  });

  test("cannot store because it is larger than a Secret is rejected with the reason", async () => {
    await withCluster(async (cluster) => {
      const applications = await openGatewayApplications(cluster);
      const { submission } = testApplication();
      const appArgs = ["x".repeat(1_200_000)];
      const result = await applications.submit(testApplication({ submission: { ...submission, appArgs } }));
      expect(result.kind).toBe("rejected");
      await applications.close();
    });
  });
});
