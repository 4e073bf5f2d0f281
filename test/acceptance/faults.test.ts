import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runSparkSubmit } from "../../src/cli/commands/submit.ts";
import { testHost } from "../../src/host/test-host.ts";
import type { ApiRequest, ApiResponse, Transport } from "../../src/kube/transport.ts";
import { kubeClient } from "../../src/kube-client/client.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import type { OpenClient } from "../../src/submit/open-client.ts";
import { createNamespace, objectsIn, podsWithout, startApi, unowned } from "./embedded-api.ts";

const directory = mkdtempSync(join(tmpdir(), "firesteel-api-"));
let cluster: EmbeddedCluster;

beforeAll(async () => {
  cluster = await startApi(directory);
});

afterAll(async () => {
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** What goes wrong with one request: before the API has carried it out, or after. */
type Fault = (request: ApiRequest, pass: Transport) => Promise<ApiResponse>;

const faults: Readonly<Record<string, Fault>> = {
  "403": async () => refusal(403, "Forbidden"),
  "409": async () => refusal(409, "AlreadyExists"),
  "413": async () => refusal(413, "RequestEntityTooLarge"),
  "422": async () => refusal(422, "Invalid"),
  "429": async () => refusal(429, "TooManyRequests", { "retry-after": "1" }),
  "500": async () => refusal(500, "InternalError"),
  "503 after it was done": async (request, pass) => {
    await pass(request);
    return refusal(503, "ServiceUnavailable");
  },
  "a connection cut before": async () => {
    throw reset();
  },
  "a connection cut after": async (request, pass) => {
    await pass(request);
    throw reset();
  },
  "an answer that is no JSON": async (request, pass) => {
    await pass(request);
    return { status: 200, headers: {}, body: bodyOf("<html>Log in</html>") };
  },
  silence: (request) =>
    new Promise((_, reject) =>
      request.signal?.addEventListener("abort", () => reject(request.signal?.reason)),
    ),
};

function reset(): Error {
  return Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
}

function refusal(code: number, reason: string, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `a ${code}`,
    reason,
    code,
  };
  return {
    status: code,
    headers: { "content-type": "application/json", ...headers },
    body: bodyOf(JSON.stringify(status)),
  };
}

async function* bodyOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}

/** A whole `spark-submit`, in memory but for the API. */
async function submit(namespace: string, transport: Transport) {
  const host = testHost({
    argv: [
      ...["--master", "k8s://https://api.test:6443", "--deploy-mode", "cluster", "--name", "faulty"],
      ...["--conf", `spark.kubernetes.namespace=${namespace}`],
      ...["--conf", "spark.kubernetes.container.image=spark:4.3.0"],
      ...["--conf", "spark.kubernetes.submission.waitAppCompletion=false"],
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
/** What no second attempt can help. */
const final = ["403", "409", "413", "422"];
const isChange = ({ method }: ApiRequest) => method !== "GET";

describe.each(Object.entries(faults))("%s", (name, fault) => {
  const numbers = Array.from({ length: changingCalls }, (_, index) => index + 1);
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, "-");

  test.each(numbers)(
    "once, at changing call %i: the submission is whole or nothing is left",
    async (number) => {
      const namespace = `once-${slug}-${number}`;
      await createNamespace(cluster, namespace);
      let changes = 0;
      const lacking: string[] = [];
      const { exit, text } = await submit(namespace, async (request) => {
        if (isChange(request)) changes += 1;
        const answer =
          isChange(request) && changes === number
            ? await fault(request, cluster.transport)
            : await cluster.transport(request);
        lacking.push(...(await podsWithout(cluster, namespace)));
        return answer;
      });
      const left = await objectsIn(cluster, namespace);
      expect(lacking).toEqual([]);
      if (final.includes(name)) expect(exit).toBe(1);
      if (exit === 0) {
        expect(left.map(({ kind }) => kind)).toEqual(["Pod", "ConfigMap", "Service", "NetworkPolicy"]);
        expect(unowned(left)).toEqual([]);
      } else {
        expect(text).toMatch(/Exception in thread "main" /);
        await expect.poll(() => objectsIn(cluster, namespace)).toEqual([]);
      }
    },
  );
});

describe("an API that is gone for good", () => {
  test.each([1, 4, 5, 7])(
    "from changing call %i on: what is left is named, and never a driver that lacks something",
    async (number) => {
      const namespace = `gone-${number}`;
      await createNamespace(cluster, namespace);
      let changes = 0;
      const { exit, text } = await submit(namespace, async (request) => {
        if (isChange(request)) changes += 1;
        if (changes >= number) throw reset();
        return cluster.transport(request);
      });
      expect(exit).toBe(1);
      expect(await podsWithout(cluster, namespace)).toEqual([]);
      for (const { metadata } of await objectsIn(cluster, namespace)) expect(text).toContain(metadata.name);
    },
  );
});
