import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { ApiRequest } from "../../../kube/transport.ts";
import type { KubeResource } from "../../../kube/types.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import {
  chunks,
  type Fault,
  neverEndingStream,
  refused,
  type TestResponse,
  testApi,
} from "../../../kube-client/test-api.ts";
import { startInformer } from "./informer.ts";

function pod(name: string, version = "1"): KubeResource {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, uid: `uid-${name}`, resourceVersion: version } };
}

function list(...items: readonly KubeResource[]): TestResponse {
  return { status: 200, body: { items, metadata: { resourceVersion: "5" } } };
}

function watchOf(...events: readonly (readonly [string, KubeResource])[]): TestResponse {
  const lines = events.map(([type, object]) => `${JSON.stringify({ type, object })}\n`);
  return { status: 200, stream: chunks(...lines) };
}

const isWatch = ({ path }: ApiRequest) => path.includes("watch=");

function following(fault: Fault) {
  const { clock, random } = testHost();
  const api = testApi(fault);
  const over = new AbortController();
  const denials: unknown[] = [];
  const informer = startInformer<KubeResource>({
    client: kubeClient({
      ...{ transport: api.transport, clock, server: "https://api", requestTimeoutMs: 5000 },
      log: () => {},
    }).withoutRetries(),
    ...{ clock, random, type: resourceTypes.pod, namespace: "ns", labelSelector: "a=b", signal: over.signal },
    onDenied: (error) => denials.push(error),
  });
  const names = () =>
    informer.get().map(({ object, isDeleted }) => `${object.metadata.name}${isDeleted ? " deleted" : ""}`);
  return { api, clock, over, denials, names, informer };
}

test("objects come from a list and its watch, and missed changes from the next list", async () => {
  const lists = [list(pod("a"), pod("b")), list(pod("c"), pod("d"))];
  const watches = [watchOf(["ADDED", pod("c")], ["DELETED", pod("a", "6")])];
  const { api, clock, over, names } = following((request) => {
    if (isWatch(request)) return watches.shift() ?? { status: 200, stream: neverEndingStream(request.signal) };
    return lists.shift();
  });
  await clock.advance(0);
  expect(names()).toEqual(["a deleted", "b", "c"]);
  await clock.advance(1000);
  expect(names()).toEqual(["a deleted", "b deleted", "c", "d"]);
  over.abort();
  expect(api.requests[1]?.path).toContain("labelSelector=a%3Db&resourceVersion=5");
});

test("objects are listed every 10 s if the watch is denied, and not requested if the list is denied, too", async () => {
  const polled = following((request) => (isWatch(request) ? refused(403, "no watch") : list(pod("a"))));
  await polled.clock.advance(60_500);
  polled.over.abort();
  expect(polled.names()).toEqual(["a"]);
  expect(polled.api.requests.filter(isWatch)).toHaveLength(1);
  expect(polled.api.requests.length).toBeLessThan(10);
  expect(polled.denials).toEqual([]);
  const blind = following(() => refused(403, "no list"));
  await blind.clock.advance(600_000);
  expect(blind.denials).toHaveLength(1);
  expect(blind.api.requests.length).toBeLessThan(3);
});

test("an unavailable API receives few requests", async () => {
  const { api, clock, over } = following(() => refused(503, "away"));
  await clock.advance(600_000);
  over.abort();
  expect(api.requests.length).toBeLessThan(30);
});

test.each([
  ["is rejected", () => refused(503, "away")],
  ["ends without a change", () => watchOf()],
  ["begins with an error", () => watchOf(["ERROR", pod("a")])],
])("lists become rare while each watch %s", async (_, watched) => {
  const { api, clock, over } = following((request) => (isWatch(request) ? watched() : list(pod("a"))));
  await clock.advance(600_000);
  over.abort();
  expect(api.requests.filter((request) => !isWatch(request)).length).toBeLessThan(30);
});

test("a watch that sent a change is restarted soon after its end", async () => {
  let version = 5;
  const { api, clock, over } = following((request) => {
    if (!isWatch(request)) return list(pod("a"));
    version += 1;
    return watchOf(["MODIFIED", pod("a", `${version}`)]);
  });
  await clock.advance(60_000);
  over.abort();
  expect(api.requests.filter(isWatch).length).toBeGreaterThan(50);
});

test("the latest 100 deleted objects are kept", async () => {
  const deleted = Array.from({ length: 150 }, (_, index) => pod(`e${index}`));
  let isFirst = true;
  const { clock, over, informer } = following((request) => {
    if (isWatch(request)) return watchOf();
    const all = isFirst ? list(...deleted) : list();
    isFirst = false;
    return all;
  });
  await clock.advance(10_000);
  over.abort();
  expect(informer.get()).toHaveLength(100);
  expect(informer.get().at(-1)?.object.metadata.name).toBe("e149");
});
