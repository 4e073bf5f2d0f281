import { expect, test } from "vitest";
import type { OpenApplications } from "../../src/gateway/applications/open-applications.ts";
import { noRules, type QueueRules } from "../../src/gateway/queue/queue-rules.ts";
import type { RecordStores } from "../../src/gateway/records/record-store.ts";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call } from "./embedded-api.ts";
import {
  driversIn,
  eventually,
  kindsByOwner,
  openGatewayApplications,
  openSecretRecords,
  ownedKinds,
  testApplication,
  withCluster,
} from "./gateway-cluster.ts";

/** Number of writes of a submission: the record, the ConfigMap, the pod, three objects with their owner, and the record. */
const writesPerSubmission = 7;

/** An API on which a process is suspended, with a different write of each application on the wire. */
function suspendedProcess(transport: Transport) {
  const writes = new Map<string, number>();
  const late: (() => Promise<void>)[] = [];
  const never = new Promise<never>(() => {});
  let isSuspended = false;
  const suspended: Transport = async (request) => {
    if (isSuspended) return never;
    const key = request.method === "GET" ? undefined : /\bapi-\d+/.exec(`${request.path} ${request.body}`)?.[0];
    if (key === undefined) return transport(request);
    const number = (writes.get(key) ?? 0) + 1;
    writes.set(key, number);
    // Of the first application the first write, and so on.
    if (number !== [...writes.keys()].indexOf(key) + 1) return transport(request);
    const { signal: _, ...sent } = request;
    late.push(async () => void (await transport(sent)));
    isSuspended = late.length === writesPerSubmission;
    return never;
  };
  return {
    transport: suspended,
    isSuspended: () => isSuspended,
    /** Carries out what was on the wire, in the order of the requests. */
    async release() {
      for (const write of late) await write();
    },
  };
}

interface Scene {
  readonly cluster: EmbeddedCluster;
  readonly next: OpenApplications;
  /** Keys of the applications that clients know. */
  readonly keys: readonly string[];
  /** Carries out the writes that were on the wire. */
  readonly release: () => Promise<void>;
  /** Lets the next process create objects. */
  readonly open: () => void;
  /** Removes the records that were stored late. */
  readonly removeLate: RecordStores["removeLate"];
}

/** Suspends a process with each write of a submission on the wire, and opens the next one, which creates no object at first. */
async function withSuspendedProcess(queues: QueueRules, use: (scene: Scene) => Promise<void>): Promise<void> {
  await withCluster(async (cluster) => {
    const { transport, isSuspended, release } = suspendedProcess(cluster.transport);
    const first = await openGatewayApplications(cluster, transport);
    const keys: string[] = [];
    for (let write = 1; write <= writesPerSubmission; write += 1)
      void first.submit(testApplication({ idempotencyKey: `write-${write}` })).then((result) => {
        if (result.kind === "accepted") keys.push(result.application.record.key);
      });
    await eventually(() => (isSuspended() ? true : undefined));
    let [open, isSwept] = [() => {}, false];
    const isOpen = new Promise<void>((resolve) => {
      open = resolve;
    });
    const nextTransport: Transport = async (request) => {
      if (request.method === "POST" && !request.path.includes("/secrets")) await isOpen;
      const response = await cluster.transport(request);
      isSwept ||= request.path.includes("/podgroups");
      return response;
    };
    const { applications: store, removeLate } = openSecretRecords(cluster, nextTransport);
    const next = await openGatewayApplications(cluster, nextTransport, { queues, store });
    // After its last list of objects, a process submits.
    await eventually(() => (isSwept ? true : undefined));
    expect(keys).toHaveLength(writesPerSubmission - 1);
    await use({ cluster, next, keys, release, open, removeLate }).finally(next.close);
  });
}

async function recordsIn(cluster: EmbeddedCluster): Promise<number> {
  const path = `${resourcePath(resourceTypes.secret, "default")}?labelSelector=firesteel.dev/gateway-record`;
  return (await call<{ readonly items: readonly unknown[] }>(cluster, "GET", path)).items.length;
}

/** Waits until each of a number of applications has one driver with its objects, and checks that nothing else exists. */
async function expectDrivers(cluster: EmbeddedCluster, count: number): Promise<void> {
  await eventually(async () => {
    const kinds = [...(await kindsByOwner(cluster)).values()].map((each) => each.join());
    return kinds.length === count && kinds.every((each) => each === ownedKinds.join()) ? true : undefined;
  });
  expect(await driversIn(cluster)).toHaveLength(count);
}

const isSubmitted = (next: OpenApplications, keys: readonly string[]) =>
  keys.every((key) => next.get(key)?.state === "pending") ? true : undefined;

test("requests of a suspended process that arrive before the next one submits create nothing twice", async () => {
  await withSuspendedProcess(noRules, async ({ cluster, next, keys, release, open, removeLate }) => {
    await release();
    open();
    await eventually(() => isSubmitted(next, keys));
    await removeLate();
    await expectDrivers(cluster, keys.length);
    expect(await recordsIn(cluster)).toBe(keys.length);
  });
});

test("requests of a suspended process that arrive after the next one has submitted change nothing", async () => {
  await withSuspendedProcess(noRules, async ({ cluster, next, keys, release, open, removeLate }) => {
    open();
    await eventually(() => isSubmitted(next, keys));
    await expectDrivers(cluster, keys.length);
    await release();
    await removeLate();
    await expectDrivers(cluster, keys.length);
    expect(await recordsIn(cluster)).toBe(keys.length);
  });
});

test.each(["kill", "remove"] as const)("%s ends an application whose objects are created late", async (request) => {
  // Applications whose drivers do not exist wait for the others.
  await withSuspendedProcess(
    { ...noRules, total: { maxRunning: 1 } },
    async ({ cluster, next, keys, release, open }) => {
      for (const key of keys) await next[request](key, undefined);
      await release();
      await expectDrivers(cluster, 0);
      open();
    },
  );
});
