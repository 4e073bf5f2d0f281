import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { createMemoryStore } from "../api/memory-store.ts";
import { eventRecorder } from "./event-recorder.ts";

function recordedPod() {
  const host = testHost();
  const store = createMemoryStore(host);
  const pod = store.create("pods", {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default" } },
  });
  if (pod === undefined) throw new Error("no pod");
  const recorder = eventRecorder(store, host.clock);
  const record = (message: string, reason = "Failed") =>
    recorder.record(pod, { type: "Warning", reason, message, component: "kubelet", host: "local" });
  const listed = () => store.list("events").map(({ message, count }) => [message, count]);
  return { host, store, recorder, pod, record, listed };
}

test("repeated event increases the count", async () => {
  const { host, store, record, listed } = recordedPod();
  record("no room");
  await host.advance(5000);
  record("no room");
  expect(listed()).toEqual([["no room", 2]]);
  expect(store.list("events")[0]).toMatchObject({
    ...{ firstTimestamp: "2026-01-02T03:04:05Z", lastTimestamp: "2026-01-02T03:04:10Z" },
    involvedObject: { kind: "Pod", name: "p", namespace: "default" },
    source: { component: "kubelet", host: "local" },
  });
});

test("deleted event is created again", () => {
  const { store, record, listed } = recordedPod();
  record("no room");
  const [event] = store.list("events");
  store.remove("events", "default", event?.metadata.name ?? "");
  record("no room");
  expect(listed()).toEqual([["no room", 1]]);
});

test("ten events that differ only in the message are combined", async () => {
  const { host, record, listed } = recordedPod();
  for (let number = 1; number <= 12; number += 1) record(`try ${number}`);
  record("other", "BackOff");
  expect(listed()).toHaveLength(11);
  expect(listed()).toContainEqual(["(combined from similar events): try 12", 3]);
  await host.advance(600_001);
  record("try 13");
  expect(listed()).toContainEqual(["try 13", 1]);
});

test("events beyond the burst are dropped until the refill", async () => {
  const { host, record, listed } = recordedPod();
  for (let number = 0; number < 40; number += 1) record("again");
  expect(listed()).toEqual([["again", 25]]);
  await host.advance(300_000);
  record("again");
  record("again");
  expect(listed()).toEqual([["again", 26]]);
});
