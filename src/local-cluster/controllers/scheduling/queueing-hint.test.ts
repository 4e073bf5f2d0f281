import { expect, test } from "vitest";
import type { StoredObject } from "../../api/store.ts";
import { queueingHint } from "./queueing-hint.ts";

function podOf(phase: string, nodeName = "", labels?: Record<string, string>): StoredObject {
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { name: "p", namespace: "ns", uid: "u", resourceVersion: "1", ...(labels && { labels }) },
    ...{ spec: { containers: [], nodeName }, status: { phase } },
  };
}

const waiting = podOf("Pending");
const bound = podOf("Pending", "node");
const running = podOf("Running", "node");
const finished = podOf("Succeeded", "node");

test.each([
  ["is created on a node", undefined, bound, true],
  ["gets a node", waiting, bound, true],
  ["finishes", running, finished, true],
  ["gets a label on its node", running, podOf("Running", "node", { a: "b" }), true],
  ["starts", bound, running, false],
  ["is created without a node", undefined, waiting, false],
  ["gets a label while it is pending", waiting, podOf("Pending", "", { a: "b" }), false],
])("a pod that %s: %#", (_, previous, object, expected) => {
  const type = previous === undefined ? "ADDED" : "MODIFIED";
  expect(queueingHint({ type, collection: "pods", object, previous, revision: 1 })).toBe(expected);
});

test.each([
  [running, true],
  [finished, false],
  [waiting, false],
])("a deleted pod frees its node: %#", (object, expected) => {
  const event = { type: "DELETED", collection: "pods", object, previous: object, revision: 1 } as const;
  expect(queueingHint(event)).toBe(expected);
});
