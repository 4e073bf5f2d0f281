import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runSparkSubmit } from "../../src/cli/commands/submit.ts";
import { testHost } from "../../src/host/test-host.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { KubeResource } from "../../src/kube/types.ts";
import { kubeClient } from "../../src/kube-client/client.ts";
import type { ChaosRule, EmbeddedCluster } from "../../src/local-cluster/index.ts";
import type { OpenClient } from "../../src/masters/master-strategy.ts";
import { call, createNamespace, objectsIn, podsWithout, startApi, unowned } from "./embedded-api.ts";

const directory = mkdtempSync(join(tmpdir(), "firesteel-api-"));
let cluster: EmbeddedCluster;

beforeAll(async () => {
  cluster = await startApi(directory);
});

afterAll(async () => {
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Faults of one request, before or after the API has carried it out. */
const faults: Readonly<Record<string, ChaosRule>> = {
  "403": { fault: "403" },
  "409": { fault: "409" },
  "413": { fault: "413" },
  "422": { fault: "422" },
  "429": { fault: "429" },
  "500": { fault: "500" },
  "503 after the execution": { fault: "503", done: true },
  "a connection reset before the execution": { fault: "drop" },
  "a connection reset after the execution": { fault: "drop", done: true },
  "a response that is not JSON": { fault: "nonsense", done: true },
  "no response": { fault: "silence" },
};

/** Runs a complete `spark-submit`, in memory except for the API. */
async function submit(namespace: string, transport: Transport, { waits = false } = {}) {
  const host = testHost({
    argv: [
      ...["--master", "k8s://https://api.test:6443", "--deploy-mode", "cluster", "--name", "faulty"],
      ...["--conf", `spark.kubernetes.namespace=${namespace}`],
      ...["--conf", "spark.kubernetes.container.image=spark:4.3.0"],
      ...["--conf", `spark.kubernetes.submission.waitAppCompletion=${waits}`],
      ...["--class", "org.example.Main", "local:///opt/app/app.jar"],
    ],
    random: {
      bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
      uuid: () => crypto.randomUUID(),
    },
  });
  const { clock } = host;
  const openClient: OpenClient = async (_, { log, requestTimeoutMs }) =>
    kubeClient({ transport, server: "https://api.test:6443", clock, log, requestTimeoutMs });
  const exit = await host.settle(runSparkSubmit(host, openClient));
  return { exit, text: host.errorText() };
}

const changingCalls = 7;
/** Faults that a retry cannot help. */
const final = ["403", "409", "413", "422"];
/** The fault affects only the client, not the test's own requests. */
const client: Partial<ChaosRule> = { userAgent: "firesteel", verbs: ["create", "update", "patch", "delete"] };

describe.each(Object.entries(faults))("%s", (name, rule) => {
  const numbers = Array.from({ length: changingCalls }, (_, index) => index + 1);
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, "-");

  test.each(numbers)("once, at mutating call %i: the submission is complete or nothing remains", async (number) => {
    const namespace = `once-${slug}-${number}`;
    await createNamespace(cluster, namespace);
    const { id } = cluster.chaos.add({ ...rule, ...client, namespace, skip: number - 1, times: 1 });
    const lacking: string[] = [];
    const { exit, text } = await submit(namespace, async (request) => {
      try {
        return await cluster.transport(request);
      } finally {
        lacking.push(...(await podsWithout(cluster, namespace)));
      }
    });
    expect(cluster.chaos.list()).toEqual([expect.objectContaining({ id, injected: 1 })]);
    cluster.chaos.clear();
    const left = await objectsIn(cluster, namespace);
    expect(lacking).toEqual([]);
    if (final.includes(name)) expect(exit).toBe(1);
    if (exit === 0) {
      expect(left.map(({ kind }) => kind)).toEqual(["Pod", "ConfigMap", "Service", "NetworkPolicy"]);
      expect(unowned(left)).toEqual([]);
    } else {
      expect(text).toMatch(/^Error: /m);
      await expect.poll(() => objectsIn(cluster, namespace)).toEqual([]);
    }
  });
});

describe("an API that becomes unreachable permanently", () => {
  test.each([1, 4, 5, 7])(
    "from mutating call %i on: remaining objects are named, and no driver lacks a mounted object",
    async (number) => {
      const namespace = `gone-${number}`;
      await createNamespace(cluster, namespace);
      let changes = 0;
      const unreachable: ChaosRule = { fault: "drop", userAgent: "firesteel" };
      const { exit, text } = await submit(namespace, async (request) => {
        if (request.method !== "GET") changes += 1;
        if (changes === number) cluster.chaos.add(unreachable);
        return cluster.transport(request);
      });
      cluster.chaos.clear();
      expect(exit).toBe(1);
      expect(await podsWithout(cluster, namespace)).toEqual([]);
      for (const { metadata } of await objectsIn(cluster, namespace)) expect(text).toContain(metadata.name);
    },
  );
});

describe("a driver that the client waits for", () => {
  const interruptions: Readonly<Record<string, ChaosRule>> = {
    "sends no more events": { fault: "half-open" },
    "is reset": { fault: "drop", delayMs: 1 },
    "is rejected with 503": { fault: "503" },
    "is rejected with 429": { fault: "429" },
    "starts from an expired revision": { fault: "410" },
    "gets no response": { fault: "silence" },
    "gets a page instead of events": { fault: "nonsense" },
  };

  test.each(Object.entries(interruptions))(
    "is followed to its end although its watch %s, three times",
    async (name, rule) => {
      const namespace = `waits-${name.replaceAll(" ", "-")}`;
      await createNamespace(cluster, namespace);
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      cluster.chaos.add({ ...rule, userAgent: "firesteel", verbs: ["watch"], resources: ["pods"], times: 3 });
      let watches = 0;
      const transport: Transport = async (request) => {
        if (request.path.startsWith(pods) && request.path.includes("watch=true")) watches += 1;
        const reply = await cluster.transport(request);
        if (watches === 4) await endDriver(pods);
        return reply;
      };
      const { exit, text } = await submit(namespace, transport, { waits: true });
      expect(cluster.chaos.list()).toMatchObject([{ injected: 3 }]);
      cluster.chaos.clear();
      expect(text).toContain("phase: Succeeded");
      expect(exit).toBe(0);
    },
  );

  /** Ends the driver as a kubelet would: no node runs here. */
  async function endDriver(pods: string): Promise<void> {
    const [driver] = (await call<{ items: KubeResource[] }>(cluster, "GET", pods)).items;
    const path = `${pods}/${driver?.metadata.name}/status`;
    const state = { terminated: { exitCode: 0, reason: "Completed" } };
    const status = { phase: "Succeeded", containerStatuses: [{ name: "spark-kubernetes-driver", state }] };
    await call(cluster, "PATCH", path, { status });
  }
});
