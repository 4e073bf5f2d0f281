import { expect, test } from "vitest";
import type { ApiRequest } from "../../kube/transport.ts";
import { adminToken, testApi } from "../test-api.ts";
import { withChaos } from "./chaos.ts";
import { chaosEndpoint } from "./chaos-endpoint.ts";
import type { ChaosRule } from "./chaos-rule.ts";
import { chaosRules } from "./chaos-rules.ts";
import { steppedClock } from "./stepped-clock.ts";

const pods = "/api/v1/namespaces/default/pods";
const maps = "/api/v1/namespaces/default/configmaps";

function faultyCluster() {
  const { host, scope, api: baseApi, put } = testApi();
  const clock = steppedClock(host.clock);
  const { api: faulty, chaos } = withChaos(baseApi, {
    ...{ scope, rules: chaosRules(host), clock, node: () => undefined },
  });
  const api = chaosEndpoint(faulty, chaos, adminToken);
  const send = (request: Partial<ApiRequest> & { token?: string }) =>
    api({
      ...{ method: "GET", path: pods },
      ...request,
      headers: { authorization: `Bearer ${request.token ?? adminToken}`, ...request.headers },
    });
  return { host, scope, put, chaos, send };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of body) text += Buffer.from(chunk).toString("utf8");
  return text;
}

const mapBody = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" } });
const mapCreation = {
  method: "POST",
  ...{ path: maps, body: mapBody },
  headers: { "content-type": "application/json" },
} as const;

test.each([
  ["401", "Unauthorized"],
  ["403", 'configmaps is forbidden: User "firesteel-admin" cannot create resource "configmaps" in API group ""'],
  ["409", 'configmaps "m" already exists'],
  ["410", '"reason":"Expired"'],
  ["429", "Too many requests, please try again later."],
  ["500", "Internal error occurred: etcdserver: request timed out"],
  ["503", "the server is currently unable to handle the request"],
  ["504", "Timeout: request did not complete within the allotted duration"],
] as const)("responds with %s and Kubernetes' message, without executing the request", async (fault, expected) => {
  const { chaos, send } = faultyCluster();
  chaos.add({ fault, verbs: ["create"] });
  const response = await send(mapCreation);
  expect(response.status).toBe(Number(fault));
  expect((await textOf(response.body)).replaceAll("\\", "")).toContain(expected);
  expect((await send({ path: `${maps}/m` })).status).toBe(404);
});

test("an error can have a Retry-After header and its own message, and follow the execution", async () => {
  const { chaos, send } = faultyCluster();
  chaos.add({ fault: "503", verbs: ["create"], retryAfterSeconds: 7, message: "in maintenance", done: true });
  const { status, headers, body } = await send(mapCreation);
  expect([status, headers["retry-after"], JSON.parse(await textOf(body)).message]).toEqual([
    ...[503, "7", "in maintenance"],
  ]);
  expect((await send({ path: `${maps}/m` })).status).toBe(200);
});

test("429 has a Retry-After of one second by default", async () => {
  const { chaos, send } = faultyCluster();
  chaos.add({ fault: "429" });
  expect((await send({})).headers["retry-after"]).toBe("1");
});

test.each<[string, Partial<ChaosRule>, Partial<ApiRequest>, number]>([
  ["verb", { verbs: ["watch"] }, {}, 200],
  ["matching verb", { verbs: ["list"] }, {}, 500],
  ["resource", { resources: ["pods/log"] }, {}, 200],
  ["resource of a group", { resources: ["jobs.batch"] }, { path: "/apis/batch/v1/jobs" }, 500],
  ["any resource", { resources: ["*"] }, {}, 500],
  ["path", { path: "/api/v1/*/pods" }, {}, 500],
  ["another path", { path: "/apis/*" }, {}, 200],
  ["namespace", { namespace: "kube-*" }, {}, 200],
  ["object", { object: "a-*" }, {}, 200],
  ["user", { user: "system:serviceaccount:*" }, {}, 200],
  ["matching user", { user: "firesteel-admin" }, {}, 500],
  ["user agent", { userAgent: "fabric8*" }, { headers: { "user-agent": "fabric8/7" } }, 500],
  ["path that is not a resource", { resources: ["*"] }, { path: "/version" }, 200],
])("a rule applies to matching requests: %s", async (_, rule, request, status) => {
  const { chaos, send } = faultyCluster();
  chaos.add({ fault: "500", ...rule });
  expect((await send(request)).status).toBe(status);
});

test("a rule skips requests first, then fails a limited number, then the next rule applies", async () => {
  const { chaos, send } = faultyCluster();
  chaos.add({ fault: "500", skip: 1, times: 2 });
  chaos.add({ fault: "503", skip: 1 });
  const statuses: number[] = [];
  for (let index = 0; index < 5; index += 1) statuses.push((await send({})).status);
  expect(statuses).toEqual([200, 500, 500, 503, 503]);
  expect(chaos.list()).toMatchObject([
    { id: "chaos-1", seen: 5, injected: 2 },
    { seen: 3, injected: 2 },
  ]);
});

test("a probability selects the same requests for the same seed, in the expected proportion", async () => {
  const runs = [1, 1, 2].map(async (seed) => {
    const { chaos, send } = faultyCluster();
    chaos.add({ fault: "500", probability: 0.25, seed });
    const statuses: number[] = [];
    for (let index = 0; index < 200; index += 1) statuses.push((await send({ path: "/version" })).status);
    return statuses;
  });
  const [first = [], again, other] = await Promise.all(runs);
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  const failed = first.filter((status) => status === 500).length;
  expect(failed).toBeGreaterThan(30);
  expect(failed).toBeLessThan(70);
});

test("a rule with a duration expires", async () => {
  const { host, chaos, send } = faultyCluster();
  expect(chaos.add({ fault: "500", forMs: 5000 })).toHaveProperty("until");
  expect((await send({})).status).toBe(500);
  await host.advance(5000);
  expect((await send({})).status).toBe(200);
  expect(chaos.list()).toEqual([]);
});

test("a dropped connection is Node's ECONNRESET, before or after the execution", async () => {
  const { chaos, send } = faultyCluster();
  const { id } = chaos.add({ fault: "drop", verbs: ["create"] });
  await expect(send(mapCreation)).rejects.toMatchObject({ code: "ECONNRESET" });
  expect((await send({ path: `${maps}/m` })).status).toBe(404);
  chaos.remove(id);
  chaos.add({ fault: "drop", verbs: ["create"], done: true });
  await expect(send(mapCreation)).rejects.toMatchObject({ code: "ECONNRESET" });
  expect((await send({ path: `${maps}/m` })).status).toBe(200);
});

test("silence lasts until the client aborts", async () => {
  const { chaos, send } = faultyCluster();
  chaos.add({ fault: "silence" });
  const controller = new AbortController();
  const response = send({ signal: controller.signal });
  controller.abort(new Error("enough"));
  await expect(response).rejects.toThrow("enough");
});

test("a slow response is correct", async () => {
  const { host, chaos, send } = faultyCluster();
  chaos.add({ fault: "slow", delayMs: 3000 });
  const before = host.clock.monotonic();
  expect((await host.settle(send({}))).status).toBe(200);
  expect(host.clock.monotonic() - before).toBe(3000);
});

test("410 reaches a watch as an ERROR event", async () => {
  const { chaos, send } = faultyCluster();
  chaos.add({ fault: "410", verbs: ["watch"] });
  const response = await send({ path: `${maps}?watch=true` });
  expect(response.status).toBe(200);
  expect(JSON.parse(await textOf(response.body))).toMatchObject({
    ...{ type: "ERROR", object: { code: 410, reason: "Expired" } },
  });
});

const podNamed = (name: string) => ({
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" }, spec: {}, status: {} },
});

/** Opens a watch whose events can be read one by one. */
async function openWatch({ send }: ReturnType<typeof faultyCluster>, signal?: AbortSignal) {
  const response = await send({ path: `${pods}?watch=true`, ...(signal === undefined ? {} : { signal }) });
  const events = response.body[Symbol.asyncIterator]();
  return { status: response.status, next: () => events.next() };
}

test("a half-open watch sends nothing more, and its connection stays open until the client closes it", async () => {
  const cluster = faultyCluster();
  cluster.put("pods", podNamed("first"));
  cluster.chaos.add({ fault: "half-open", delayMs: 10 });
  const controller = new AbortController();
  const watch = await openWatch(cluster, controller.signal);
  expect((await watch.next()).done).toBe(false);
  await cluster.host.advance(10);
  cluster.put("pods", podNamed("second"));
  const ended = watch.next();
  expect(await Promise.race([ended, Promise.resolve("nothing")])).toBe("nothing");
  // A list is not a stream: the rule does not apply to it.
  expect(await textOf((await cluster.send({})).body)).toContain("second");
  expect(cluster.chaos.list()).toMatchObject([{ injected: 1 }]);
  controller.abort();
  expect((await ended).done).toBe(true);
  expect(cluster.scope.streams.size).toBe(0);
});

test("streams that are already open are interrupted if the rule says so", async () => {
  const cluster = faultyCluster();
  cluster.put("pods", podNamed("first"));
  const watch = await openWatch(cluster);
  await watch.next();
  expect(cluster.chaos.add({ fault: "drop", times: 1, opened: true })).toMatchObject({ injected: 1 });
  await expect(watch.next()).rejects.toMatchObject({ code: "ECONNRESET" });
  expect((await cluster.send({})).status).toBe(200);
});

test("an invalid rule is rejected with all errors and the allowed values", () => {
  const { chaos } = faultyCluster();
  const wrong = { fault: "404", verbs: ["peek"], probability: 2, times: 0, rarely: true };
  expect(() => chaos.add(JSON.parse(JSON.stringify(wrong)))).toThrow(
    expect.objectContaining({
      issues: [
        expect.objectContaining({
          message: expect.stringMatching(/Invalid value '404' for fault; allowed: 401, /),
        }),
        expect.objectContaining({
          message: expect.stringMatching(/Invalid value .* for verbs; allowed: get, list/),
        }),
        expect.objectContaining({ message: expect.stringMatching(/Invalid value '2' for probability/) }),
        expect.objectContaining({ message: expect.stringMatching(/Invalid value '0' for times/) }),
        expect.objectContaining({ message: expect.stringMatching(/Invalid value 'rarely' for a field/) }),
      ],
    }),
  );
  expect(() => chaos.add({ fault: "slow" })).toThrow("delayMs of slow");
  expect(() => chaos.add({ fault: "drop", retryAfterSeconds: 1 })).toThrow("it applies to 429, 500, 503, 504");
  expect(chaos.list()).toEqual([]);
});

test("the administrator manages rules over HTTP regardless of active rules; other users cannot", async () => {
  const { chaos, send } = faultyCluster();
  const post = { method: "POST", path: "/firesteel/chaos/rules" } as const;
  const made = await send({ ...post, body: '{"fault":"500"}' });
  expect([made.status, JSON.parse(await textOf(made.body)).id]).toEqual([201, "chaos-1"]);
  expect((await send({ path: "/version" })).status).toBe(500);
  const refused = await send({ ...post, body: '{"fault":"1"}' });
  expect([refused.status, await textOf(refused.body)]).toEqual([422, expect.stringContaining("allowed: 401")]);
  expect((await send({ method: "DELETE", path: "/firesteel/chaos/rules/chaos-9" })).status).toBe(404);
  expect((await send({ method: "DELETE", path: "/firesteel/chaos/rules/chaos-1" })).status).toBe(200);
  for (const other of [{ token: "x" }, { headers: { authorization: "" } }, { headers: { "impersonate-user": "me" } }])
    expect((await send({ ...post, ...other, body: '{"fault":"500"}' })).status).toBeGreaterThanOrEqual(401);
  chaos.add({ fault: "500" });
  expect((await send({ method: "DELETE", path: "/firesteel/chaos" })).status).toBe(200);
  expect(chaos.list()).toEqual([]);
});
