import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import type { Pod } from "../../../kube/types.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import { chunks, type Fault, refused, socketError, testApi } from "../../../kube-client/test-api.ts";
import type { TrackedObject } from "../diagnose/informer.ts";
import { followExecutorLogs } from "./follow-executor-logs.ts";

const name = "spark-kubernetes-executor";

function executor(id: number, state: object, phase = "Running"): TrackedObject<Pod> {
  const status = { name, image: "img", imageID: "", ready: false, restartCount: 0, state };
  const metadata = {
    name: `exec-${id}`,
    namespace: "ns",
    uid: `uid-${id}`,
    labels: { "spark-exec-id": String(id) },
  };
  const spec = { containers: [{ name }, { name: "sidecar" }] };
  return { object: { metadata, spec, status: { phase, containerStatuses: [status] } }, isDeleted: false };
}

const waiting = { waiting: {} };
const running = { running: {} };

function following(fault: Fault) {
  const host = testHost();
  const { clock, random, stdout } = host;
  const api = testApi(fault);
  const logged: string[] = [];
  let executors: readonly TrackedObject<Pod>[] = [];
  let changed = () => {};
  const logs = followExecutorLogs({
    ...{ clock, random, stdout, signal: new AbortController().signal },
    client: kubeClient({
      ...{ transport: api.transport, clock, server: "https://api", requestTimeoutMs: 5000 },
      log: () => {},
    }),
    log: (_, __, text) => logged.push(text),
    observer: {
      executors: () => executors,
      onChange(listener) {
        changed = listener;
        return () => {};
      },
    },
  });
  const set = async (...now: readonly TrackedObject<Pod>[]) => {
    executors = now;
    changed();
    await clock.advance(0);
  };
  return { api, clock, host, logged, logs, set };
}

test("logs of executors appear from their start, with the executor's ID in each line, across broken connections", async () => {
  const responses = [chunks("2026-01-01T00:00:01Z one\n", socketError("ECONNRESET"))];
  const { api, clock, host, logs, set } = following(({ path }) =>
    path.includes("exec-1/log")
      ? {
          status: 200,
          stream: responses.pop() ?? chunks("2026-01-01T00:00:01Z one\n2026-01-01T00:00:02Z two"),
        }
      : { status: 200, stream: chunks("2026-01-01T00:00:01Z other\n") },
  );
  await set(executor(1, waiting, "Pending"));
  expect(api.requests).toEqual([]);
  await set(executor(1, running), executor(2, running));
  await set(executor(1, { terminated: { exitCode: 0 } }, "Succeeded"), executor(2, running));
  await clock.settle(logs.drain());
  logs.stop();
  expect(host.outText().split("\n").sort()).toEqual(
    ["", "[executor 1] one", "[executor 1] two", "[executor 2] other"].sort(),
  );
  expect(api.requests[0]?.path).toContain(`container=${name}`);
});

test("executors that are deleted immediately cause no warning", async () => {
  const { clock, logged, logs, set } = following(() => refused(404, "pod not found"));
  await set({ ...executor(1, running), isDeleted: true });
  await set(executor(2, running));
  await set({ ...executor(2, running), isDeleted: true });
  await clock.settle(logs.drain());
  expect(logged.filter((text) => !text.includes("executor 2's log is incomplete"))).toEqual([]);
});

test("of many executors, 16 are followed, and the limit is logged once", async () => {
  const { api, logged, logs, set } = following(() => ({ status: 200, stream: endless() }));
  await set(...Array.from({ length: 40 }, (_, id) => executor(id, running)));
  await set(...Array.from({ length: 50 }, (_, id) => executor(id, running)));
  expect(new Set(api.requests.map(({ path }) => path.split("?")[0])).size).toBe(16);
  expect(logged).toEqual(["Showing the logs of at most 16 executors at once; other executors are skipped."]);
  logs.stop();
});

async function* endless(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("2026-01-01T00:00:01Z one\n");
  await new Promise(() => {});
}
