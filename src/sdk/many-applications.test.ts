import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import type { ApiRequest, ApiResponse } from "../kube/transport.ts";
import type { Pod } from "../kube/types.ts";
import { kubeClient } from "../kube-client/client.ts";
import { Firesteel } from "./firesteel.ts";

const namespaces = ["day", "night"];
const countPerNamespace = 5000;

function driver(namespace: string, index: number, phase: string, version = "1"): Pod {
  const name = `etl-${index}-driver`;
  const labels = { "spark-role": "driver", "spark-app-selector": `spark-${namespace}-${index}` };
  return {
    metadata: { name, namespace, uid: `${namespace}-${index}`, resourceVersion: version, labels },
    spec: { containers: [{ name: "spark-kubernetes-driver", image: "spark" }] },
    status: { phase },
  };
}

/** An API with pending drivers. Its watches send what `send` sends. */
function apiWithDrivers() {
  const requests: string[] = [];
  let onWatched = () => {};
  const watched = new Promise<void>((resolve) => {
    onWatched = resolve;
  });
  const watches = new Map<string, { signal: ApiRequest["signal"]; push: (line: string) => void }>();
  const drivers = new Map(
    namespaces.map((namespace) => [
      namespace,
      Array.from({ length: countPerNamespace }, (_, index) => driver(namespace, index, "Pending")),
    ]),
  );
  const respond = (body: object): ApiResponse => ({ status: 200, headers: {}, body: bodyOf(JSON.stringify(body)) });
  const transport = async ({ path, signal }: ApiRequest): Promise<ApiResponse> => {
    const { pathname, searchParams } = new URL(path, "http://api");
    const [, namespace = "", name] = /namespaces\/([^/]+)\/pods(?:\/(.+))?$/.exec(pathname) ?? [];
    const own = drivers.get(namespace) ?? [];
    if (name !== undefined) {
      requests.push("get");
      return respond(own[Number(/\d+/.exec(name)?.[0])] ?? {});
    }
    if (!searchParams.has("watch")) {
      requests.push(`list ${namespace}`);
      return respond({ metadata: { resourceVersion: "5" }, items: own });
    }
    requests.push(`watch ${namespace}`);
    const { lines, push } = openStream(signal);
    watches.set(namespace, { signal, push });
    if (watches.size === namespaces.length) onWatched();
    return { status: 200, headers: {}, body: lines };
  };
  const send = (namespace: string, pod: Pod) =>
    watches.get(namespace)?.push(`${JSON.stringify({ type: "MODIFIED", object: pod })}\n`);
  return { transport, requests, watches, watched, send };
}

async function* bodyOf(text: string) {
  yield Buffer.from(text);
}

/** A stream of lines that ends with the signal. */
function openStream(signal: ApiRequest["signal"]) {
  const held: string[] = [];
  let wake = () => {};
  signal?.addEventListener("abort", () => wake());
  async function* lines() {
    while (signal?.aborted !== true) {
      if (held.length > 0) yield Buffer.from(held.splice(0).join(""));
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  return {
    lines: lines(),
    push(line: string) {
      held.push(line);
      wake();
    },
  };
}

test("10,000 followed applications need one list and one watch for each namespace", { tags: "long" }, async () => {
  const host = testHost();
  const { transport, requests, watches, watched, send } = apiWithDrivers();
  const firesteel = new Firesteel(
    { master: "k8s://https://h" },
    {
      host,
      openClient: async (_, { server }) =>
        kubeClient({ transport, server, clock: host.clock, log: () => {}, requestTimeoutMs: 0 }),
    },
  );
  const ids = namespaces.flatMap((namespace) =>
    Array.from({ length: countPerNamespace }, (_, index) => `${namespace}:etl-${index}-driver`),
  );
  const applications = await Promise.all(ids.map((id) => firesteel.application(id)));
  const waits = applications.map((application) => application.wait({ diagnose: false }));
  await watched;
  for (const phase of ["Running", "Succeeded"])
    for (const namespace of namespaces)
      for (let index = 0; index < countPerNamespace; index += 1)
        send(namespace, driver(namespace, index, phase, phase === "Running" ? "6" : "7"));
  const outcomes = await Promise.all(waits);
  expect(outcomes.every(({ state }) => state === "succeeded")).toBe(true);
  expect(requests.filter((request) => request !== "get").sort()).toEqual([
    ...["list day", "list night", "watch day", "watch night"],
  ]);
  expect(requests.filter((request) => request === "get")).toHaveLength(10_000);
  // The watches end with the last application.
  expect([...watches.values()].map(({ signal }) => signal?.aborted)).toEqual([true, true]);
});
