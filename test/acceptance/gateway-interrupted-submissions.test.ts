import { expect, test } from "vitest";
import { parseRecord } from "../../src/gateway/records/parse-record.ts";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { KubeResource } from "../../src/kube/types.ts";
import { chunks } from "../../src/kube-client/test-api.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call } from "./embedded-api.ts";
import {
  driversIn,
  eventually,
  kindsByOwner,
  openGatewayApplications,
  ownedKinds,
  testApplication,
  withCluster,
} from "./gateway-cluster.ts";

interface Interrupted {
  readonly cluster: EmbeddedCluster;
  readonly key: string;
  readonly podName: string;
}

const isService = ({ method, path }: Parameters<Transport>[0]) => method === "POST" && path.includes("/services");

/** Interrupts a process when it has created a driver, but neither its Service nor its NetworkPolicy. */
async function withInterruptedSubmission(use: (interrupted: Interrupted) => Promise<void>): Promise<void> {
  await withCluster(async (cluster) => {
    let isInterrupted = false;
    const transport: Transport = async (request) => {
      isInterrupted ||= isService(request);
      return isInterrupted ? new Promise(() => {}) : cluster.transport(request);
    };
    const applications = await openGatewayApplications(cluster, transport);
    const result = await applications.submit(testApplication());
    if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
    const { key, podName } = result.application.record;
    await eventually(() => (isInterrupted ? true : undefined));
    expect(await driversIn(cluster)).toHaveLength(1);
    await use({ cluster, key, podName });
  });
}

async function storedAppId(cluster: EmbeddedCluster, key: string): Promise<string | undefined> {
  const path = resourcePath(resourceTypes.secret, "default", `gateway-${key}`);
  type Secret = KubeResource & { readonly data?: Readonly<Record<string, string>> };
  const { data = {} } = await call<Secret>(cluster, "GET", path);
  const parsed = parseRecord(Buffer.from(data["application.json"] ?? "", "base64").toString("utf8"));
  return parsed.ok ? parsed.record.appId : undefined;
}

test("a driver gets the objects that an interrupted submission has not created, although the API is down meanwhile", async () => {
  await withInterruptedSubmission(async ({ cluster, key, podName }) => {
    let [failures, wasStored] = [8, false];
    const next = await openGatewayApplications(cluster, async (request) => {
      const isList = request.method === "GET" && request.path.includes("spark-app-selector");
      if (!isList || failures === 0) return cluster.transport(request);
      failures -= 1;
      wasStored ||= (await storedAppId(cluster, key)) !== undefined;
      throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    });
    await eventually(async () => ((await storedAppId(cluster, key)) === undefined ? undefined : true));
    expect([failures, wasStored]).toEqual([0, false]);
    expect((await kindsByOwner(cluster)).get(podName)).toEqual(ownedKinds);
    expect(next.get(key)?.state).toBe("pending");
    await next.close();
  });
}, 60_000);

test("an application fails with the reason if the API rejects an object of its interrupted submission", async () => {
  await withInterruptedSubmission(async ({ cluster, key }) => {
    const status = { kind: "Status", apiVersion: "v1", status: "Failure", code: 403, message: "no Services" };
    const next = await openGatewayApplications(cluster, async (request) =>
      isService(request)
        ? { status: 403, headers: {}, body: chunks(JSON.stringify(status)) }
        : cluster.transport(request),
    );
    const end = await eventually(() => next.get(key)?.record.end);
    expect(end).toMatchObject({ reason: "Rejected", codes: ["SUBMIT_ERR_KUBE_FORBIDDEN"] });
    expect(end.message).toContain("no Services");
    await eventually(async () => ((await driversIn(cluster)).length === 0 ? true : undefined));
    await next.close();
  });
});

test("a driver runs on, with a warning, if the settings of the gateway no longer match its interrupted submission", async () => {
  await withInterruptedSubmission(async ({ cluster, key, podName }) => {
    const annotations = { "firesteel.dev/submission-content": '{"arguments": "0"}' };
    await call(cluster, "PATCH", resourcePath(resourceTypes.pod, "default", podName), { metadata: { annotations } });
    const warnings: unknown[] = [];
    const next = await openGatewayApplications(cluster, cluster.transport, {
      log: (level, text, fields) => void (level === "WARN" && warnings.push([text, fields?.["key"]])),
    });
    await eventually(async () => ((await storedAppId(cluster, key)) === undefined ? undefined : true));
    expect(warnings).toEqual([["An interrupted submission cannot be completed.", key]]);
    expect(next.get(key)?.state).toBe("pending");
    expect(await driversIn(cluster)).toHaveLength(1);
    await next.close();
  });
});

test("an application that is killed while the API is down ends, and creates nothing when the API is back", async () => {
  await withCluster(async (cluster) => {
    let [failures, isDown] = [0, true];
    const applications = await openGatewayApplications(cluster, async (request) => {
      if (!isDown || request.method !== "POST" || request.path.includes("/secrets")) return cluster.transport(request);
      failures += 1;
      throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    });
    const result = await applications.submit(testApplication());
    if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
    const { key } = result.application.record;
    await eventually(() => (failures > 0 ? true : undefined));
    expect(await applications.kill(key, undefined)).toBe(true);
    expect(await eventually(() => applications.get(key)?.record.end)).toMatchObject({ state: "killed" });
    isDown = false;
    await applications.close();
    expect([await driversIn(cluster), await kindsByOwner(cluster)]).toEqual([[], new Map()]);
  });
}, 60_000);

test("an application that is killed while its Service cannot be created makes way for others", async () => {
  await withCluster(async (cluster) => {
    let [first, failures] = ["", 0];
    const transport: Transport = async (request) => {
      if (!isService(request) || !String(request.body).includes(first)) return cluster.transport(request);
      failures += 1;
      return { status: 503, headers: {}, body: chunks("") };
    };
    const applications = await openGatewayApplications(cluster, transport, { maxConcurrent: 1 });
    const submit = async () => {
      const result = await applications.submit(testApplication());
      if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
      return result.application.record;
    };
    const { key, podName } = await submit();
    first = podName;
    await eventually(() => (failures > 0 && applications.get(key)?.driver !== undefined ? true : undefined));
    const { key: second } = await submit();
    expect(await applications.kill(key, undefined)).toBe(true);
    expect(await eventually(() => applications.get(key)?.record.end)).toMatchObject({ state: "killed" });
    await eventually(() => (applications.get(second)?.state === "pending" ? true : undefined));
    expect(await driversIn(cluster)).toHaveLength(1);
    await applications.close();
  });
}, 60_000);
