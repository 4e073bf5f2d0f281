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
  const { host, scope, api: sound, put } = testApi();
  const clock = steppedClock(host.clock);
  const { api: faulty, chaos } = withChaos(sound, {
    ...{ scope, book: chaosRules(host), clock, node: () => undefined },
  });
  const api = chaosEndpoint(faulty, chaos, adminToken);
  const ask = (request: Partial<ApiRequest> & { token?: string }) =>
    api({
      ...{ method: "GET", path: pods },
      ...request,
      headers: { authorization: `Bearer ${request.token ?? adminToken}`, ...request.headers },
    });
  return { host, scope, put, chaos, ask };
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
  [
    "403",
    'configmaps is forbidden: User "firesteel-admin" cannot create resource "configmaps" in API group ""',
  ],
  ["409", 'configmaps "m" already exists'],
  ["410", '"reason":"Expired"'],
  ["429", "Too many requests, please try again later."],
  ["500", "Internal error occurred: etcdserver: request timed out"],
  ["503", "the server is currently unable to handle the request"],
  ["504", "Timeout: request did not complete within the allotted duration"],
] as const)("answers %s in Kubernetes' words, and does nothing", async (fault, words) => {
  const { chaos, ask } = faultyCluster();
  chaos.add({ fault, verbs: ["create"] });
  const answer = await ask(mapCreation);
  expect(answer.status).toBe(Number(fault));
  expect((await textOf(answer.body)).replaceAll("\\", "")).toContain(words);
  expect((await ask({ path: `${maps}/m` })).status).toBe(404);
});

test("a refusal can come with a wait, words of its own, and after the deed", async () => {
  const { chaos, ask } = faultyCluster();
  chaos.add({ fault: "503", verbs: ["create"], retryAfterSeconds: 7, message: "in maintenance", done: true });
  const { status, headers, body } = await ask(mapCreation);
  expect([status, headers["retry-after"], JSON.parse(await textOf(body)).message]).toEqual([
    ...[503, "7", "in maintenance"],
  ]);
  expect((await ask({ path: `${maps}/m` })).status).toBe(200);
});

test("429 asks for a second's patience unless it is told otherwise", async () => {
  const { chaos, ask } = faultyCluster();
  chaos.add({ fault: "429" });
  expect((await ask({})).headers["retry-after"]).toBe("1");
});

test.each<[string, Partial<ChaosRule>, Partial<ApiRequest>, number]>([
  ["verb", { verbs: ["watch"] }, {}, 200],
  ["verb that fits", { verbs: ["list"] }, {}, 500],
  ["resource", { resources: ["pods/log"] }, {}, 200],
  ["resource of a group", { resources: ["jobs.batch"] }, { path: "/apis/batch/v1/jobs" }, 500],
  ["any resource", { resources: ["*"] }, {}, 500],
  ["path", { path: "/api/v1/*/pods" }, {}, 500],
  ["another path", { path: "/apis/*" }, {}, 200],
  ["namespace", { namespace: "kube-*" }, {}, 200],
  ["object", { object: "a-*" }, {}, 200],
  ["user", { user: "system:serviceaccount:*" }, {}, 200],
  ["user that fits", { user: "firesteel-admin" }, {}, 500],
  ["user agent", { userAgent: "fabric8*" }, { headers: { "user-agent": "fabric8/7" } }, 500],
  ["path that is no resource", { resources: ["*"] }, { path: "/version" }, 200],
])("a rule is about those it fits: %s", async (_, rule, request, status) => {
  const { chaos, ask } = faultyCluster();
  chaos.add({ fault: "500", ...rule });
  expect((await ask(request)).status).toBe(status);
});

test("some are spared first, so many are struck, and then the next rule has its turn", async () => {
  const { chaos, ask } = faultyCluster();
  chaos.add({ fault: "500", skip: 1, times: 2 });
  chaos.add({ fault: "503", skip: 1 });
  const statuses: number[] = [];
  for (let index = 0; index < 5; index += 1) statuses.push((await ask({})).status);
  expect(statuses).toEqual([200, 500, 500, 503, 503]);
  expect(chaos.list()).toMatchObject([
    { id: "chaos-1", seen: 5, struck: 2 },
    { seen: 3, struck: 2 },
  ]);
});

test("chance strikes the same ones for the same seed, and as many as it should", async () => {
  const runs = [1, 1, 2].map(async (seed) => {
    const { chaos, ask } = faultyCluster();
    chaos.add({ fault: "500", probability: 0.25, seed });
    const statuses: number[] = [];
    for (let index = 0; index < 200; index += 1) statuses.push((await ask({ path: "/version" })).status);
    return statuses;
  });
  const [first = [], again, other] = await Promise.all(runs);
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  const struck = first.filter((status) => status === 500).length;
  expect(struck).toBeGreaterThan(30);
  expect(struck).toBeLessThan(70);
});

test("a rule with a time is gone after it", async () => {
  const { host, chaos, ask } = faultyCluster();
  expect(chaos.add({ fault: "500", forMs: 5000 })).toHaveProperty("until");
  expect((await ask({})).status).toBe(500);
  await host.advance(5000);
  expect((await ask({})).status).toBe(200);
  expect(chaos.list()).toEqual([]);
});

test("a dropped connection is Node's ECONNRESET, before the deed or after it", async () => {
  const { chaos, ask } = faultyCluster();
  const { id } = chaos.add({ fault: "drop", verbs: ["create"] });
  await expect(ask(mapCreation)).rejects.toMatchObject({ code: "ECONNRESET" });
  expect((await ask({ path: `${maps}/m` })).status).toBe(404);
  chaos.remove(id);
  chaos.add({ fault: "drop", verbs: ["create"], done: true });
  await expect(ask(mapCreation)).rejects.toMatchObject({ code: "ECONNRESET" });
  expect((await ask({ path: `${maps}/m` })).status).toBe(200);
});

test("silence lasts until the client gives up", async () => {
  const { chaos, ask } = faultyCluster();
  chaos.add({ fault: "silence" });
  const patience = new AbortController();
  const answer = ask({ signal: patience.signal });
  patience.abort(new Error("enough"));
  await expect(answer).rejects.toThrow("enough");
});

test("a slow answer is the right one", async () => {
  const { host, chaos, ask } = faultyCluster();
  chaos.add({ fault: "slow", delayMs: 3000 });
  const before = host.clock.monotonic();
  expect((await host.settle(ask({}))).status).toBe(200);
  expect(host.clock.monotonic() - before).toBe(3000);
});

test("410 comes to a watch as its event", async () => {
  const { chaos, ask } = faultyCluster();
  chaos.add({ fault: "410", verbs: ["watch"] });
  const answer = await ask({ path: `${maps}?watch=true` });
  expect(answer.status).toBe(200);
  expect(JSON.parse(await textOf(answer.body))).toMatchObject({
    ...{ type: "ERROR", object: { code: 410, reason: "Expired" } },
  });
});

const podNamed = (name: string) => ({
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" }, spec: {}, status: {} },
});

/** A watch whose events so far can be taken. */
async function openWatch({ ask }: ReturnType<typeof faultyCluster>, signal?: AbortSignal) {
  const answer = await ask({ path: `${pods}?watch=true`, ...(signal === undefined ? {} : { signal }) });
  const events = answer.body[Symbol.asyncIterator]();
  return { status: answer.status, next: () => events.next() };
}

test("a half-open watch tells nothing more, and its connection stays until the client closes it", async () => {
  const cluster = faultyCluster();
  cluster.put("pods", podNamed("first"));
  cluster.chaos.add({ fault: "half-open", delayMs: 10 });
  const patience = new AbortController();
  const watch = await openWatch(cluster, patience.signal);
  expect((await watch.next()).done).toBe(false);
  await cluster.host.advance(10);
  cluster.put("pods", podNamed("second"));
  const ended = watch.next();
  expect(await Promise.race([ended, Promise.resolve("nothing")])).toBe("nothing");
  // A list is no stream: the rule is not about it.
  expect(await textOf((await cluster.ask({})).body)).toContain("second");
  expect(cluster.chaos.list()).toMatchObject([{ struck: 1 }]);
  patience.abort();
  expect((await ended).done).toBe(true);
  expect(cluster.scope.streams.size).toBe(0);
});

test("streams that are open already are struck where the rule says so", async () => {
  const cluster = faultyCluster();
  cluster.put("pods", podNamed("first"));
  const watch = await openWatch(cluster);
  await watch.next();
  expect(cluster.chaos.add({ fault: "drop", times: 1, opened: true })).toMatchObject({ struck: 1 });
  await expect(watch.next()).rejects.toMatchObject({ code: "ECONNRESET" });
  expect((await cluster.ask({})).status).toBe(200);
});

test("what is no rule is refused, with all that is wrong and what is allowed", () => {
  const { chaos } = faultyCluster();
  const wrong = { fault: "404", verbs: ["peek"], probability: 2, times: 0, seldom: true };
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
        expect.objectContaining({ message: expect.stringMatching(/Invalid value 'seldom' for a field/) }),
      ],
    }),
  );
  expect(() => chaos.add({ fault: "slow" })).toThrow("delayMs of slow");
  expect(() => chaos.add({ fault: "drop", retryAfterSeconds: 1 })).toThrow("it is of 429, 500, 503, 504");
  expect(chaos.list()).toEqual([]);
});

test("the cluster's owner makes rules over HTTP, which no rule strikes; others find nothing there", async () => {
  const { chaos, ask } = faultyCluster();
  const post = { method: "POST", path: "/firesteel/chaos/rules" } as const;
  const made = await ask({ ...post, body: '{"fault":"500"}' });
  expect([made.status, JSON.parse(await textOf(made.body)).id]).toEqual([201, "chaos-1"]);
  expect((await ask({ path: "/version" })).status).toBe(500);
  const refused = await ask({ ...post, body: '{"fault":"1"}' });
  expect([refused.status, await textOf(refused.body)]).toEqual([
    422,
    expect.stringContaining("allowed: 401"),
  ]);
  expect((await ask({ method: "DELETE", path: "/firesteel/chaos/rules/chaos-9" })).status).toBe(404);
  expect((await ask({ method: "DELETE", path: "/firesteel/chaos/rules/chaos-1" })).status).toBe(200);
  for (const stranger of [
    { token: "x" },
    { headers: { authorization: "" } },
    { headers: { "impersonate-user": "me" } },
  ])
    expect((await ask({ ...post, ...stranger, body: '{"fault":"500"}' })).status).toBeGreaterThanOrEqual(401);
  chaos.add({ fault: "500" });
  expect((await ask({ method: "DELETE", path: "/firesteel/chaos" })).status).toBe(200);
  expect(chaos.list()).toEqual([]);
});
