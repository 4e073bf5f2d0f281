import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import type { ApiRequest } from "../kube/transport.ts";
import type { Pod } from "../kube/types.ts";
import { kubeClient } from "../kube-client/client.ts";
import { chunks, neverEndingStream, refused, type TestResponse, testApi } from "../kube-client/test-api.ts";
import { driverWatch } from "./driver-watch.ts";

function driver(name: string, phase: string, version = "1"): Pod {
  return {
    metadata: { name, uid: `uid-${name}`, resourceVersion: version, annotations: { long: "text" } },
    spec: { containers: [{ name: "spark-kubernetes-driver", image: "spark" }], volumes: [{ name: "v" }] },
    status: { phase },
  };
}

const list = (...items: readonly Pod[]): TestResponse => ({
  status: 200,
  body: { items, metadata: { resourceVersion: "5" } },
});

const isWatch = ({ path }: ApiRequest) => path.includes("watch=");

/** Watches an API whose lists and watches have these responses; afterwards, nothing changes. */
function watching(lists: readonly TestResponse[], watches: readonly TestResponse[] = []) {
  const [remainingLists, remainingWatches] = [[...lists], [...watches]];
  const { clock, random } = testHost();
  const api = testApi((request) =>
    isWatch(request)
      ? (remainingWatches.shift() ?? { status: 200, stream: neverEndingStream(request.signal) })
      : (remainingLists.shift() ?? list()),
  );
  const logged: string[] = [];
  const client = kubeClient({
    ...{ transport: api.transport, clock, server: "https://api", requestTimeoutMs: 5000 },
    log: () => {},
  });
  const log = (...[level, , text]: readonly string[]) => void logged.push(`${level} ${text}`);
  const watch = driverWatch({ client, clock, random, log, namespace: "ns" });
  const seen: string[] = [];
  const follower = (name: string) => ({
    onDriver: ({ object, isDeleted }: { readonly object: Pod; readonly isDeleted: boolean }) =>
      void seen.push(`${name}: ${object.metadata?.name} ${isDeleted ? "deleted" : object.status?.phase}`),
    onDenied: (error: unknown) => void seen.push(`${name}: ${String(error)}`),
  });
  return { api, clock, watch, seen, follower, logged };
}

test("one watch serves all followers, and ends with the last", async () => {
  const { api, clock, watch, seen, follower } = watching([list(driver("a", "Pending"), driver("b", "Running"))]);
  const stopA = watch.follow(driver("a", "Pending"), follower("first"));
  await clock.advance(0);
  const stopB = watch.follow(driver("b", "Pending"), follower("second"));
  const stopAll = watch.followAll(follower("all"));
  expect(seen).toEqual(["first: a Pending", "second: b Running", "all: a Pending", "all: b Running"]);
  expect(api.requests).toHaveLength(2);
  const signal = api.requests[1]?.signal;
  stopA();
  stopB();
  expect(signal?.aborted).toBe(false);
  stopAll();
  expect(signal?.aborted).toBe(true);
});

test("a driver that is in no list any more was deleted, but not one that is followed since the list began", async () => {
  const { clock, watch, seen, follower } = watching([list(), list()], [{ status: 200, stream: chunks() }]);
  watch.follow(driver("a", "Pending"), follower("before"));
  await clock.advance(0);
  expect(seen).toEqual(["before: a deleted"]);
  watch.follow(driver("b", "Pending"), follower("after"));
  expect(seen).toHaveLength(1);
  await clock.advance(2000);
  expect(seen.at(-1)).toBe("after: b deleted");
});

test("only what describes an application is kept of a pod", async () => {
  const { clock, watch } = watching([list(driver("a", "Running"))]);
  const pods: Pod[] = [];
  watch.followAll({ onDriver: ({ object }) => void pods.push(object), onDenied: () => {} });
  await clock.advance(0);
  expect(pods).toEqual([
    {
      metadata: { name: "a", uid: "uid-a", resourceVersion: "1" },
      spec: { containers: [{ name: "spark-kubernetes-driver", ports: [], env: [] }] },
      status: { phase: "Running" },
    },
  ]);
});

test("failures are logged, and a denied list is reported to all followers", async () => {
  const denied = refused(403, 'pods is forbidden: User "ci" cannot list resource "pods"');
  const { clock, watch, seen, follower, logged } = watching([refused(500, "away"), denied, denied]);
  watch.follow(driver("a", "Pending"), follower("one"));
  watch.followAll(follower("all"));
  await clock.advance(10_000);
  expect(logged[0]).toMatch(/^WARN The watch of drivers is interrupted: .*away/);
  expect(seen).toHaveLength(2);
  expect(seen.join()).toContain("cannot list resource");
});
