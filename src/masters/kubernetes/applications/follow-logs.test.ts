import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import type { Pod } from "../../../kube/types.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import { type Fault, refused, testApi } from "../../../kube-client/test-api.ts";
import type { LogSource } from "./application-logs.ts";
import { followLogs } from "./follow-logs.ts";

const path = "/api/v1/namespaces/jobs/pods/etl-driver";

function driver(phase: string): Pod {
  const state = phase === "Running" ? { running: {} } : { terminated: { exitCode: 0 } };
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { name: "etl-driver", namespace: "jobs", uid: "1", labels: { "spark-app-selector": "spark-1" } },
    spec: { containers: [{ name: "driver" }] },
    status: {
      phase,
      containerStatuses: [{ name: "driver", image: "i", imageID: "i", ready: true, restartCount: 0, state }],
    },
  };
}

interface Access {
  readonly source?: LogSource;
  /** Response to the nth read of the driver's pod. @default the pod ends at the third */
  readonly read?: (number: number) => ReturnType<Fault>;
}

/** Follows logs with an account that may not list or watch pods. */
function follow({ source = "driver", read }: Access) {
  const host = testHost();
  let reads = 0;
  const serve: Fault = ({ path: target }) => {
    const [name = ""] = target.split("?");
    if (name === `${path}/log`) return { status: 200, body: "one\ntwo\n" };
    if (name !== path) return refused(403, 'pods is forbidden: cannot list resource "pods"');
    reads += 1;
    return read === undefined ? { status: 200, body: driver(reads < 3 ? "Running" : "Succeeded") } : read(reads);
  };
  const client = kubeClient({
    ...{ transport: testApi(serve).transport, server: "https://h", clock: host.clock, requestTimeoutMs: 5000 },
    log: () => {},
  });
  const { clock, random, stdout } = host;
  const ended = followLogs({
    ...{ client, clock, random, stdout, source, driver: driver("Running"), log: () => {}, range: {} },
    signal: new AbortController().signal,
  });
  return { host, ended, reads: () => reads };
}

test("ends with the driver without permission to list and watch pods", async () => {
  const { host, ended, reads } = follow({});
  await host.settle(ended);
  expect([reads(), host.outText()]).toEqual([3, "one\ntwo\n"]);
});

test("ends when the driver was deleted, and ignores a failure before", async () => {
  const { host, ended } = follow({ read: (number) => refused(number === 1 ? 500 : 404, "no") });
  await host.settle(ended);
  expect(host.outText()).toBe("one\ntwo\n");
});

test.each([
  ["pods cannot be read, either", { read: () => refused(403, "cannot get pods") }, "cannot get pods"],
  ["executors cannot be listed", { source: "executors" }, "cannot list"],
] as const)("reports the missing permission if %s", async (_, access, message) => {
  const { host, ended } = follow(access);
  await expect(host.settle(ended)).rejects.toMatchObject({
    code: "SUBMIT_ERR_KUBE_FORBIDDEN",
    message: expect.stringContaining(message),
  });
});
