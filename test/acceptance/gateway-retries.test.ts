import { expect, test } from "vitest";
import type { OpenApplications } from "../../src/gateway/applications/open-applications.ts";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { Pod } from "../../src/kube/types.ts";
import { chunks } from "../../src/kube-client/test-api.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call } from "./embedded-api.ts";
import {
  driversIn,
  eventually,
  openGatewayApplications,
  runningStatus,
  setStatus,
  testApplication,
  withCluster,
} from "./gateway-cluster.ts";
import { startGatewayOn } from "./gateway-process.ts";

/** Opens applications, and submits one whose driver then exists. */
async function withDriver(
  use: (driver: {
    readonly cluster: EmbeddedCluster;
    readonly applications: OpenApplications;
    readonly key: string;
    readonly podName: string;
  }) => Promise<void>,
): Promise<void> {
  await withCluster(async (cluster) => {
    const applications = await openGatewayApplications(cluster);
    const result = await applications.submit(testApplication());
    if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
    const { key, podName } = result.application.record;
    await eventually(async () => (await driversIn(cluster)).find(({ metadata }) => metadata?.name === podName));
    await use({ cluster, applications, key, podName });
    await applications.close();
  });
}

const podPath = (name: string) => resourcePath(resourceTypes.pod, "default", name);

test("an application whose node evicts it is submitted again, as another attempt", async () => {
  await withDriver(async ({ cluster, applications, key, podName }) => {
    await setStatus(cluster, podName, { phase: "Failed", reason: "Evicted", message: "The node was low on memory." });
    await eventually(() => (applications.get(key)?.record.attempt === 2 ? true : undefined));
    expect(applications.get(key)).toMatchObject({ state: "queued", record: { podName: `${podName}-2` } });
  });
});

test("an application whose pod the cluster deletes with a lost node is submitted again", async () => {
  await withDriver(async ({ cluster, applications, key, podName }) => {
    const lost = { type: "DisruptionTarget", status: "True", reason: "DeletionByPodGC" } as const;
    await setStatus(cluster, podName, { ...runningStatus, conditions: [lost] });
    await call(cluster, "DELETE", podPath(podName), { gracePeriodSeconds: 0 });
    await eventually(() => (applications.get(key)?.record.attempt === 2 ? true : undefined));
    expect(applications.get(key)?.state).toBe("queued");
  });
});

test("an application whose image cannot be pulled waits for the registry in the same attempt", async () => {
  await withDriver(async ({ cluster, applications, key, podName }) => {
    const reason = "ImagePullBackOff";
    const container = { name: "spark-kubernetes-driver", image: "spark", imageID: "", ready: false, restartCount: 0 };
    const waiting: Pod["status"] = {
      phase: "Pending",
      containerStatuses: [{ ...container, state: { waiting: { reason } } }],
    };
    await setStatus(cluster, podName, waiting);
    await eventually(() => (applications.get(key)?.driver?.reason === reason ? true : undefined));
    expect(applications.get(key)?.state).toBe("pending");
    await setStatus(cluster, podName, runningStatus);
    await eventually(() => (applications.get(key)?.state === "running" ? true : undefined));
    expect(applications.get(key)?.record.attempt).toBe(1);
  });
});

test("an API that is down while the driver is created delays an application only", async () => {
  await withCluster(async (cluster) => {
    let failures = 5;
    const transport: Transport = async (request) => {
      if (request.method === "POST" && request.path.includes("/pods") && failures > 0) {
        failures -= 1;
        throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      }
      return cluster.transport(request);
    };
    const applications = await openGatewayApplications(cluster, transport);
    const result = await applications.submit(testApplication());
    if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
    const { key } = result.application.record;
    await eventually(() => (applications.get(key)?.state === "pending" ? true : undefined));
    expect(failures).toBe(0);
    expect(await driversIn(cluster)).toHaveLength(1);
    await applications.close();
  });
});

test("an API that fails after the driver is created does not end it, and the gateway creates its other objects later", async () => {
  await withCluster(async (cluster) => {
    const services = resourcePath(resourceTypes.service, "default");
    let createdBefore: readonly Pod[] = [];
    const transport: Transport = async (request) => {
      if (request.method === "POST" && request.path.startsWith(services) && createdBefore.length === 0) {
        createdBefore = await driversIn(cluster);
        throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
      }
      return cluster.transport(request);
    };
    const applications = await openGatewayApplications(cluster, transport);
    const result = await applications.submit(testApplication());
    if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
    const { key } = result.application.record;
    await eventually(() => (applications.get(key)?.record.appId === undefined ? undefined : true));
    const service = await eventually(async () => {
      const { items } = await call<{ items: readonly Pod[] }>(cluster, "GET", services);
      return items.find(({ metadata }) => metadata?.ownerReferences?.[0]?.kind === "Pod");
    });
    expect(createdBefore).toHaveLength(1);
    const [driver] = await driversIn(cluster);
    expect(driver?.metadata?.uid).toBe(createdBefore[0]?.metadata?.uid);
    expect(service.metadata?.ownerReferences?.[0]?.uid).toBe(driver?.metadata?.uid);
    expect(applications.get(key)?.state).toBe("pending");
    await applications.close();
  });
});

test("an application for which the quota has no room waits with the reason, and is submitted when there is", async () => {
  await withCluster(async (cluster) => {
    const metadata = { name: "small", namespace: "default" };
    const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata, spec: { hard: { pods: "1" } } };
    await call(cluster, "POST", resourcePath(resourceTypes.resourceQuota, "default"), quota);
    const gateway = await startGatewayOn(cluster, {});
    const submit = async (name: string) => {
      const { json } = await gateway.send("POST", "/api/v1/applications", { body: { name, app: "local:///pi.py" } });
      return json["key"];
    };
    const read = async (key: unknown) => (await gateway.send("GET", `/api/v1/applications/${key}`)).json;
    const first = await submit("first");
    await eventually(async () => ((await read(first))["state"] === "pending" ? true : undefined));
    const second = await submit("second");
    const waiting = await eventually(async () => {
      const application = await read(second);
      return String(application["reason"]).includes("quota") ? application : undefined;
    });
    expect(waiting).toMatchObject({
      ...{ state: "queued", position: 1 },
      reason: "The quota small is exhausted: it needs pods=1; pods=1 of pods=1 is used.",
    });
    expect((await gateway.send("POST", `/api/v1/applications/${first}/kill`)).status).toBe(202);
    await eventually(async () => ((await read(second))["state"] === "pending" ? true : undefined));
    expect(await driversIn(cluster)).toHaveLength(1);
    await gateway.stop();
  });
});

/** Returns an API whose quota has no Services left until it is freed. */
function exhaustedQuota(inner: Transport) {
  let [isFree, rejected] = [false, 0];
  const exceeded = "exceeded quota: small, requested: services=1, used: services=1, limited: services=1";
  const message = `services is forbidden: ${exceeded}`;
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403, message };
  const transport: Transport = async (request) => {
    if (isFree || request.method !== "POST" || !request.path.includes("/services")) return inner(request);
    rejected += 1;
    return { status: 403, headers: {}, body: chunks(JSON.stringify(status)) };
  };
  const free = () => {
    isFree = true;
  };
  return { transport, free, rejected: () => rejected };
}

test("an application whose Service exceeds the quota does not adopt its driver that is being deleted", async () => {
  await withCluster(async (cluster) => {
    const quota = exhaustedQuota(cluster.transport);
    const applications = await openGatewayApplications(cluster, quota.transport);
    const finalizers = ["example.org/slow"];
    const driver = JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { finalizers },
      spec: { containers: [{ name: "main" }] },
    });
    const { submission } = testApplication();
    const result = await applications.submit(testApplication({ submission: { ...submission, templates: { driver } } }));
    if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
    const { key, podName } = result.application.record;
    const first = await eventually(async () =>
      (await driversIn(cluster)).find(({ metadata }) => metadata?.deletionTimestamp != null),
    );
    await eventually(() => (applications.get(key)?.waiting?.reason?.includes("small") === true ? true : undefined));
    quota.free();
    // The end of another application lets it be tried again.
    const other = await applications.submit(testApplication());
    if (other.kind !== "accepted") throw new Error(JSON.stringify(other));
    await applications.kill(other.application.record.key, undefined);
    await eventually(() => (applications.get(key)?.state === "submitting" ? true : undefined));
    await call(cluster, "PATCH", podPath(podName), { metadata: { finalizers: null } });
    await eventually(() => (applications.get(key)?.state === "pending" ? true : undefined));
    const [second] = await driversIn(cluster);
    expect(second?.metadata).toMatchObject({ name: podName });
    expect(second?.metadata?.uid).not.toBe(first.metadata?.uid);
    expect(applications.get(key)?.driver?.uid).toBe(second?.metadata?.uid);
    await applications.close();
  });
}, 60_000);

test("late events of drivers that were rolled back do not end an application", async () => {
  await withCluster(async (cluster) => {
    const quota = exhaustedQuota(cluster.transport);
    let show = () => {};
    const shown = new Promise<void>((resolve) => {
      show = resolve;
    });
    const applications = await openGatewayApplications(cluster, async (request) => {
      const response = await quota.transport(request);
      if (request.path.includes("watch=") && request.path.includes("driver")) await shown;
      return response;
    });
    const submit = async () => {
      const result = await applications.submit(testApplication());
      if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
      return result.application.record.key;
    };
    const isWaiting = (rejected: number) => () =>
      quota.rejected() === rejected && applications.get(key)?.waiting?.reason?.includes("small") === true
        ? true
        : undefined;
    const key = await submit();
    await eventually(isWaiting(1));
    // The end of another application lets it be tried again.
    await applications.kill(await submit(), undefined);
    await eventually(isWaiting(2));
    quota.free();
    show();
    const other = await submit();
    await applications.kill(other, undefined);
    await eventually(() => (applications.get(other)?.state === "killed" ? true : undefined));
    await eventually(() => {
      expect(applications.get(key)?.record).toMatchObject({ attempt: 1 });
      expect(applications.get(key)?.record.end).toBeUndefined();
      return applications.get(key)?.state === "pending" ? true : undefined;
    });
    const [driver] = await driversIn(cluster);
    expect(applications.get(key)?.driver?.uid).toBe(driver?.metadata?.uid);
    await applications.close();
  });
}, 60_000);
