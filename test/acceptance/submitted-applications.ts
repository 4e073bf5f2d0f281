import { expect } from "vitest";
import { resourceTypes } from "../../src/kube/resources.ts";
import type { Pod } from "../../src/kube/types.ts";
import { type ApiCluster, driversByArgument, listIn } from "./api-cluster.ts";
import { type Submitted, send, submitProtocols } from "./gateway-clients.ts";

interface SubmittedTo {
  readonly cluster: ApiCluster;
  readonly namespace: string;
  /** Address of the gateway that serves now. */
  readonly url: string;
}

/**
 * Checks that each acknowledged application has exactly one driver, no other one has several, each driver has its objects and owns
 * them, and IDs have not changed.
 */
export async function expectSubmittedOnce(
  { cluster, namespace, url }: SubmittedTo,
  { acknowledged, killed, abandoned, unexpected }: Submitted,
): Promise<void> {
  expect(unexpected).toEqual([]);
  await expect
    .poll(async () => (await send(url, { method: "GET", path: unfinished })).json["total"], { timeout: 60_000 })
    .toBe(0);
  await expect.poll(() => incomplete(cluster, namespace), { timeout: 60_000 }).toEqual([]);
  expect(await missingObjects(cluster, namespace)).toEqual([]);

  const drivers = await driversByArgument(cluster, namespace);
  const counts = (keys: Iterable<string>) =>
    [...keys].map((key) => ({ key, drivers: (drivers.get(key) ?? []).map(({ metadata }) => metadata?.name) }));
  expect(
    counts(acknowledged.keys()).filter(({ key, drivers: found }) => found.length !== (killed.has(key) ? 0 : 1)),
  ).toEqual([]);
  expect(counts(abandoned).filter(({ drivers: found }) => found.length > 1)).toEqual([]);
  await expectStableIds(url, acknowledged);
}

const unfinished = "/api/v1/applications?limit=1&state=queued,submitting";

/** Checks that a repeated request gets the ID of the first one, and that IDs are unique and increase. */
async function expectStableIds(url: string, acknowledged: ReadonlyMap<string, string>): Promise<void> {
  for (const [key, id] of acknowledged) {
    const protocol = submitProtocols.find(({ name }) => key.includes(`-${name}-`));
    if (protocol === undefined) throw new Error(key);
    const { path, body, idField } = protocol;
    const reply = await send(url, { method: "POST", path, body: body(key), headers: { "idempotency-key": key } });
    expect([key, reply.status, String(reply.json[idField])]).toEqual([
      key,
      reply.status < 202 ? reply.status : 200,
      id,
    ]);
  }
  const ids = [...acknowledged.values()];
  expect(new Set(ids).size).toBe(ids.length);
  for (const parity of [0, 1]) {
    // Each client waits for its response, so its IDs increase.
    const batches = [...acknowledged].filter(([key]) => key.includes("-livy-") && Number(key.at(-1)) % 2 === parity);
    const numbers = batches.map(([, id]) => Number(id));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  }
}

/** Returns the objects of submissions without the driver as their owner. */
async function incomplete(cluster: ApiCluster, namespace: string): Promise<readonly string[]> {
  const pods = new Set(
    (await listIn<Pod>(cluster, resourceTypes.pod, namespace)).map(({ metadata }) => metadata?.uid ?? ""),
  );
  const found: string[] = [];
  for (const type of [resourceTypes.configMap, resourceTypes.service])
    for (const { metadata } of await listIn(cluster, type, namespace)) {
      const owner = metadata.ownerReferences?.[0]?.uid ?? "";
      if (metadata.name !== "kube-root-ca.crt" && !pods.has(owner)) found.push(`${type.kind}/${metadata.name}`);
    }
  return found;
}

/** Returns what is missing for a driver: it needs the ConfigMap that it mounts and its Service. */
async function missingObjects(cluster: ApiCluster, namespace: string): Promise<readonly string[]> {
  const maps = new Set(
    (await listIn(cluster, resourceTypes.configMap, namespace)).map(({ metadata }) => metadata.name ?? ""),
  );
  const services = await listIn(cluster, resourceTypes.service, namespace);
  const owners = services.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid ?? "");
  return (await listIn<Pod>(cluster, resourceTypes.pod, namespace)).flatMap(({ metadata, spec }) => [
    ...(spec?.volumes ?? []).flatMap(({ configMap }) =>
      configMap?.name === undefined || maps.has(configMap.name)
        ? []
        : [`${metadata?.name}: ConfigMap ${configMap.name}`],
    ),
    ...(owners.filter((owner) => owner === metadata?.uid).length === 1 ? [] : [`${metadata?.name}: Service`]),
  ]);
}
