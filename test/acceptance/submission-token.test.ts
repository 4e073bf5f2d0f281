import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runSparkSubmit } from "../../src/cli/commands/submit.ts";
import { testHost } from "../../src/host/test-host.ts";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { ApiRequest, ApiResponse, Transport } from "../../src/kube/transport.ts";
import type { KubeResource, Pod } from "../../src/kube/types.ts";
import { kubeClient } from "../../src/kube-client/client.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import type { OpenClient } from "../../src/masters/master-strategy.ts";
import { call, createNamespace, objectsIn, podsWithout, startApi, unowned } from "./embedded-api.ts";

const directory = mkdtempSync(join(tmpdir(), "firesteel-token-"));
let cluster: EmbeddedCluster;
let namespaces = 0;

// Load lazy modules first: the test's clock does not advance during an import.
const modules = [
  import("../../src/masters/kubernetes/submit-request.ts"),
  import("../../src/resolve/spark-env.ts"),
  import("../../src/masters/kubernetes/monitor/monitor-driver.ts"),
  import("../../src/masters/kubernetes/submission-token/with-attempt-names.ts"),
  import("../../src/masters/kubernetes/submission-token/submit-once.ts"),
  import("../../src/masters/kubernetes/stage/stage-dependencies.ts"),
];

beforeAll(async () => {
  await Promise.all(modules);
  cluster = await startApi(directory);
});

afterAll(async () => {
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function newNamespace(): Promise<string> {
  namespaces += 1;
  const namespace = `tokens-${namespaces}`;
  await createNamespace(cluster, namespace);
  return namespace;
}

interface Submission {
  readonly namespace: string;
  readonly transport?: Transport;
  readonly waits?: boolean;
  readonly options?: readonly string[];
  readonly args?: readonly string[];
}

/** Runs a complete `spark-submit` with a token, in memory except for the API. */
async function submit({ namespace, transport = cluster.transport, waits = false, ...more }: Submission) {
  const { options = [], args = ["a"] } = more;
  const host = testHost({
    argv: [
      ...["--master", "k8s://https://api.test:6443", "--deploy-mode", "cluster"],
      ...["--conf", `spark.kubernetes.namespace=${namespace}`, "--submission-token", "nightly-1"],
      ...["--conf", "spark.kubernetes.container.image=spark:4.3.0"],
      ...["--conf", `spark.kubernetes.submission.waitAppCompletion=${waits}`, ...options],
      ...["--class", "org.example.Main", "local:///opt/app/app.jar", ...args],
    ],
    files: { "/w/rules.txt": "rules" },
    // Each attempt gets its own random IDs.
    random: { uuid: randomUUID, bytes: (count) => randomBytes(count) },
  });
  const openClient: OpenClient = async (_, { server, log, requestTimeoutMs }) =>
    kubeClient({ transport, server, clock: host.clock, requestTimeoutMs, log });
  const exit = await host.settle(runSparkSubmit(host, openClient));
  return { exit, stderr: host.errorText(), uploads: host.files.list("/shared") ?? [] };
}

async function state(namespace: string) {
  const objects = await objectsIn(cluster, namespace);
  return {
    pods: objects.filter(({ kind }) => kind === "Pod").map(({ metadata }) => metadata.name),
    kinds: objects.map(({ kind }) => kind).sort(),
    incomplete: [...(await podsWithout(cluster, namespace)), ...unowned(objects)],
  };
}

const complete = {
  pods: [expect.stringMatching(/-driver$/)],
  kinds: ["ConfigMap", "NetworkPolicy", "Pod", "Service"],
  incomplete: [],
};

/** Calls a function before or after one of the requests. */
function disturbed(at: number, when: "before" | "after", action: () => Promise<unknown>): Transport {
  let number = 0;
  return async (request) => {
    number += 1;
    const isIt = number === at;
    if (isIt && when === "before") await action();
    const response = await cluster.transport(request);
    if (isIt && when === "after") await action();
    return response;
  };
}

// Requests: one list, three creations, the pod, and owner references.
const requests = [1, 2, 3, 4, 5, 6, 7, 8];
const moments = requests.flatMap((at) => (["before", "after"] as const).map((when) => ({ at, when })));

describe("a submission with a token", () => {
  test("adopts the driver when it is sent again", async () => {
    const namespace = await newNamespace();
    const first = await submit({ namespace });
    const second = await submit({ namespace });
    expect([first.exit, second.exit]).toEqual([0, 0]);
    const deployed = /Deployed Spark application .*\n/.exec(first.stderr)?.[0] ?? "";
    expect(second.stderr).toContain("adopting");
    expect(second.stderr).toContain(deployed);
    expect(await state(namespace)).toEqual(complete);
  });

  test.each(moments)(
    "makes one driver when a concurrent attempt overtakes it $when request $at",
    async ({ at, when }) => {
      const namespace = await newNamespace();
      let concurrent: Awaited<ReturnType<typeof submit>> | undefined;
      const transport = disturbed(at, when, async () => {
        concurrent = await submit({ namespace });
      });
      const slow = await submit({ namespace, transport });
      expect([slow.exit, concurrent?.exit]).toEqual([0, 0]);
      expect([slow, concurrent].filter((one) => one?.stderr.includes("adopting"))).toHaveLength(1);
      expect(await state(namespace)).toEqual(complete);
    },
  );

  test.each(moments)(
    "uploads nothing unnecessarily when a concurrent attempt comes $when request $at",
    async ({ at, when }) => {
      const namespace = await newNamespace();
      const options = ["--files", "/w/rules.txt", "--conf", "spark.kubernetes.file.upload.path=file:///shared"];
      let concurrent: Awaited<ReturnType<typeof submit>> | undefined;
      const transport = disturbed(at, when, async () => {
        concurrent = await submit({ namespace, options });
      });
      const slow = await submit({ namespace, options, transport });
      const winner = [slow, concurrent].filter((one) => one?.stderr.includes("adopting") === false);
      expect([...slow.uploads, ...(concurrent?.uploads ?? [])]).toEqual(winner[0]?.uploads);
      const [map] = (await objectsIn(cluster, namespace)).filter(({ kind }) => kind === "ConfigMap");
      expect(JSON.stringify(map)).toContain(winner[0]?.uploads[0]);
      expect(await state(namespace)).toEqual(complete);
    },
  );

  test("makes one driver with many concurrent attempts", async () => {
    const namespace = await newNamespace();
    const all = await Promise.all(Array.from({ length: 8 }, () => submit({ namespace })));
    expect(all.map(({ exit }) => exit)).toEqual(all.map(() => 0));
    expect(all.filter(({ stderr }) => !stderr.includes("adopting"))).toHaveLength(1);
    expect(await state(namespace)).toEqual(complete);
  });

  test.each(moments)(
    "that fails from request $at on does not harm a concurrent attempt that came $when it",
    async ({ at, when }) => {
      const namespace = await newNamespace();
      let isBroken = false;
      const concurrent = disturbed(at, when, async () => {
        await submit({ namespace });
        isBroken = true;
      });
      const isChange = ({ method }: ApiRequest) => method === "POST" || method === "PATCH";
      const transport: Transport = (request) =>
        isBroken && isChange(request) ? Promise.resolve(rejection()) : concurrent(request);
      await submit({ namespace, transport });
      // The failed attempt's driver is rolled back with what it owned; the concurrent attempt's driver is complete.
      const unexpectedObjects = async () => {
        const { pods, incomplete, kinds } = await state(namespace);
        const isComplete = isDeepStrictEqual(kinds, pods.length === 0 ? [] : complete.kinds);
        return isComplete ? incomplete : [...incomplete, ...kinds];
      };
      await expect.poll(unexpectedObjects, { timeout: 10_000 }).toEqual([]);
    },
  );

  test("with other content is rejected, and the differences are named", async () => {
    const namespace = await newNamespace();
    await submit({ namespace });
    const { exit, stderr } = await submit({
      namespace,
      args: ["b"],
      options: ["--name", "other", "--conf", "spark.executor.cores=2"],
    });
    expect(exit).toBe(1);
    expect(stderr).toMatch(
      new RegExp(
        `${namespace}:org-example-main-[0-9a-f]+-driver. They differ in: arguments, spark.app.name, spark.executor.cores`,
      ),
    );
    expect(await state(namespace)).toEqual(complete);
  });

  test("can wait with other options the second time, and reports the end of an ended driver", async () => {
    const namespace = await newNamespace();
    await submit({ namespace });
    const [name = ""] = (await state(namespace)).pods;
    const path = resourcePath(resourceTypes.pod, namespace, name);
    const pod = await call<Pod & KubeResource>(cluster, "GET", path);
    const terminated = { exitCode: 3, reason: "Error", containerID: "x://1" };
    const status = {
      phase: "Failed",
      containerStatuses: [
        {
          ...{ name: pod.spec?.containers[0]?.name, image: "spark:4.3.0", imageID: "", ready: false },
          ...{ restartCount: 0, state: { terminated } },
        },
      ],
    };
    await call(cluster, "PUT", `${path}/status`, { ...pod, status });
    const { exit, stderr } = await submit({ namespace, waits: true });
    expect([exit, stderr]).toEqual([3, expect.stringContaining("(phase: Failed)")]);
    expect(stderr).toMatch(/exit code: 3/);
  });

  test("creates another driver after the first was deleted", async () => {
    const namespace = await newNamespace();
    await submit({ namespace });
    const [name] = (await state(namespace)).pods;
    await call(cluster, "DELETE", resourcePath(resourceTypes.pod, namespace, name), {
      gracePeriodSeconds: 0,
    });
    const again = await submit({ namespace });
    expect([again.exit, again.stderr.includes("adopting")]).toEqual([0, false]);
  });
});

function rejection(): ApiResponse {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", message: "no", code: 403 };
  const headers = { "content-type": "application/json" };
  return { status: 403, headers, body: bodyOf(JSON.stringify({ ...status, reason: "Forbidden" })) };
}

async function* bodyOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
