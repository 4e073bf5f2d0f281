import { expect, test } from "vitest";
import type { OpenApplications } from "../../src/gateway/applications/open-applications.ts";
import type { NewApplication } from "../../src/gateway/model/applications.ts";
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

interface Failures {
  /** Number of the write whose response is lost, from 1. */
  readonly lost: number;
  /** Number of requests after it that do not reach the API. */
  readonly unreachable: number;
}

/** Returns an API that carries out a write whose response is lost. */
function failingApi(transport: Transport, { lost, unreachable }: Failures) {
  let [writes, left] = [0, 0];
  const failing: Transport = async (request) => {
    if (request.path.includes("watch=")) return transport(request);
    if (left > 0) {
      left -= 1;
      throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    }
    if (request.method !== "GET") writes += 1;
    const isLost = request.method !== "GET" && writes === lost;
    const response = await transport(request);
    if (!isLost) return response;
    left = unreachable;
    throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  };
  return { transport: failing, writes: () => writes };
}

/** Returns whether the stored record of an application says that it is submitted. */
async function isStoredAsSubmitted(cluster: EmbeddedCluster, key: string): Promise<boolean> {
  const path = resourcePath(resourceTypes.secret, "default", `gateway-${key}`);
  const { data = {} } = await call<KubeResource & { readonly data?: Readonly<Record<string, string>> }>(
    cluster,
    "GET",
    path,
  );
  const parsed = parseRecord(Buffer.from(data["application.json"] ?? "", "base64").toString("utf8"));
  return parsed.ok && parsed.record.appId !== undefined;
}

interface Submission {
  readonly cluster: EmbeddedCluster;
  readonly applications: OpenApplications;
  readonly application: NewApplication;
}

/** Submits an application until it is accepted, and waits until its driver has all objects and its record says so. */
async function submitCompletely({ cluster, applications, application }: Submission): Promise<void> {
  const { key, podName } = await eventually(async () => {
    const result = await applications.submit(application);
    return result.kind === "accepted" ? result.application.record : undefined;
  });
  await eventually(async () => {
    expect(applications.get(key)?.record.end).toBeUndefined();
    const kinds = (await kindsByOwner(cluster)).get(podName);
    return kinds?.length === ownedKinds.length && (await isStoredAsSubmitted(cluster, key)) ? true : undefined;
  });
  expect(applications.get(key)?.state).toBe("pending");
}

test.each([
  { what: "is lost", unreachable: 0 },
  { what: "is lost, and the API does not respond for some time", unreachable: 5 },
])(
  "an application runs once, with its objects, if the response to any write of its submission $what",
  async ({ unreachable }) => {
    await withCluster(async (cluster) => {
      let [lost, isBeyondLast] = [0, false];
      while (!isBeyondLast) {
        lost += 1;
        const { transport, writes } = failingApi(cluster.transport, { lost, unreachable });
        const applications = await openGatewayApplications(cluster, transport);
        const application = testApplication({ idempotencyKey: `write-${lost}` });
        await submitCompletely({ cluster, applications, application }).finally(applications.close);
        isBeyondLast = writes() < lost;
      }
      // Nor does the next process submit again what no client knows.
      const next = await openGatewayApplications(cluster);
      await eventually(() => (next.isSynced() ? true : undefined));
      await eventually(() => ([...next.list()].every(({ state }) => state === "pending") ? true : undefined));
      expect(await driversIn(cluster)).toHaveLength(lost);
      const kinds = [...(await kindsByOwner(cluster)).values()];
      expect(kinds).toEqual(Array.from({ length: lost }, () => ownedKinds));
      await next.close();
    });
  },
);

test("an application whose driver's Service is rejected has failed with the reason, and leaves no object", async () => {
  await withCluster(async (cluster) => {
    const forbidden = { kind: "Status", apiVersion: "v1", status: "Failure", code: 403, message: "no Services" };
    const transport: Transport = async (request) => {
      if (request.method !== "POST" || !request.path.includes("/services")) return cluster.transport(request);
      // Clients see the driver meanwhile.
      await eventually(() => ([...applications.list()].some(({ driver }) => driver !== undefined) ? true : undefined));
      return { status: 403, headers: {}, body: chunks(JSON.stringify(forbidden)) };
    };
    const applications = await openGatewayApplications(cluster, transport);
    const result = await applications.submit(testApplication());
    if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
    const { key } = result.application.record;
    const end = await eventually(() => applications.get(key)?.record.end);
    expect(end).toMatchObject({ reason: "Rejected", codes: ["SUBMIT_ERR_KUBE_FORBIDDEN"] });
    expect([await driversIn(cluster), await kindsByOwner(cluster)]).toEqual([[], new Map()]);
    await applications.close();
  });
});
