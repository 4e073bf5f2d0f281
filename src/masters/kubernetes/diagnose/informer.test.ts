import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { ApiRequest } from "../../../kube/transport.ts";
import type { KubeResource } from "../../../kube/types.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import {
  chunks,
  type Fault,
  refused,
  silence,
  type TestAnswer,
  testApi,
} from "../../../kube-client/test-api.ts";
import { startInformer } from "./informer.ts";

function pod(name: string, version = "1"): KubeResource {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, uid: `uid-${name}`, resourceVersion: version } };
}

function list(...items: readonly KubeResource[]): TestAnswer {
  return { status: 200, body: { items, metadata: { resourceVersion: "5" } } };
}

function events(...told: readonly (readonly [string, KubeResource])[]): TestAnswer {
  const lines = told.map(([type, object]) => `${JSON.stringify({ type, object })}\n`);
  return { status: 200, stream: chunks(...lines) };
}

const isWatch = ({ path }: ApiRequest) => path.includes("watch=");

function following(fault: Fault) {
  const { clock, random } = testHost();
  const api = testApi(fault);
  const over = new AbortController();
  const refusals: unknown[] = [];
  const followed = startInformer<KubeResource>({
    client: kubeClient({
      ...{ transport: api.transport, clock, server: "https://api", requestTimeoutMs: 5000 },
      log: () => {},
    }).withoutRetries(),
    ...{ clock, random, type: resourceTypes.pod, namespace: "ns", labelSelector: "a=b", signal: over.signal },
    onRefused: (error) => refusals.push(error),
  });
  const names = () =>
    followed.get().map(({ object, isDeleted }) => `${object.metadata.name}${isDeleted ? " gone" : ""}`);
  return { api, clock, over, refusals, names, followed };
}

test("objects come by a list and its watch, and what a broken watch did not tell by the next list", async () => {
  const lists = [list(pod("a"), pod("b")), list(pod("c"), pod("d"))];
  const watches = [events(["ADDED", pod("c")], ["DELETED", pod("a", "6")])];
  const { api, clock, over, names } = following((request) => {
    if (isWatch(request)) return watches.shift() ?? { status: 200, stream: silence(request.signal) };
    return lists.shift();
  });
  await clock.advance(0);
  expect(names()).toEqual(["a gone", "b", "c"]);
  await clock.advance(1000);
  expect(names()).toEqual(["a gone", "b gone", "c", "d"]);
  over.abort();
  expect(api.requests[1]?.path).toContain("labelSelector=a%3Db&resourceVersion=5");
});

test("without the right to watch they are listed each ten seconds; without that right, too, nothing is asked again", async () => {
  const polled = following((request) => (isWatch(request) ? refused(403, "no watch") : list(pod("a"))));
  await polled.clock.advance(60_500);
  polled.over.abort();
  expect(polled.names()).toEqual(["a"]);
  expect(polled.api.requests.filter(isWatch)).toHaveLength(1);
  expect(polled.api.requests.length).toBeLessThan(10);
  expect(polled.refusals).toEqual([]);
  const blind = following(() => refused(403, "no list"));
  await blind.clock.advance(600_000);
  expect(blind.refusals).toHaveLength(1);
  expect(blind.api.requests.length).toBeLessThan(3);
});

test("an API that is away is not flooded", async () => {
  const { api, clock, over } = following(() => refused(503, "away"));
  await clock.advance(600_000);
  over.abort();
  expect(api.requests.length).toBeLessThan(30);
});

test("of objects that are long gone only some are kept", async () => {
  const ended = Array.from({ length: 150 }, (_, index) => pod(`e${index}`));
  let isFirst = true;
  const { clock, over, followed } = following((request) => {
    if (isWatch(request)) return events();
    const all = isFirst ? list(...ended) : list();
    isFirst = false;
    return all;
  });
  await clock.advance(10_000);
  over.abort();
  expect(followed.get()).toHaveLength(100);
  expect(followed.get().at(-1)?.object.metadata.name).toBe("e149");
});
