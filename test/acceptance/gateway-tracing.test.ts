import { expect, test } from "vitest";
import { defaultRetryPolicy } from "../../src/gateway/applications/retry-policy.ts";
import { noRules } from "../../src/gateway/queue/queue-rules.ts";
import type { Tracing } from "../../src/gateway/tracing/tracing.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import {
  driversIn,
  endedStatus,
  eventually,
  killedAfter,
  openGatewayApplications,
  runningStatus,
  setStatus,
  testApplication,
  withCluster,
} from "./gateway-cluster.ts";
import { type GatewayProcess, startGatewayOn } from "./gateway-process.ts";
import { type ReceivedSpan, startTraceReceiver } from "./trace-receiver.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const client = { spanId: "00f067aa0ba902b7", headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } };
const attemptNames = ["accept application", "run driver", "start driver", "submit driver", "wait in queue"];

/** Records spans in this process. */
function recorder() {
  const spans: {
    readonly name: string;
    readonly attempt: unknown;
    readonly startMs: number;
    readonly failure: unknown;
  }[] = [];
  const tracing: Tracing = {
    start: ({ name, startMs, attributes }) => ({
      traceparent: client.headers.traceparent,
      end: ({ failure }) => void spans.push({ name, attempt: attributes["firesteel.attempt"], startMs, failure }),
    }),
    close: async () => {},
  };
  return { tracing, spans };
}

async function submit(gateway: GatewayProcess, headers: Readonly<Record<string, string>> = client.headers) {
  const body = { name: "pi", app: "local:///pi.py", args: ["hidden-arg"], conf: { "spark.x": "hidden-value" } };
  const { status, json } = await gateway.send("POST", "/api/v1/applications?queue=default", { body, headers });
  expect(status).toBe(201);
  return json["key"];
}

async function driverOf(cluster: EmbeddedCluster, index = 0): Promise<string> {
  return eventually(async () => (await driversIn(cluster))[index]?.metadata?.name);
}

async function hasState(gateway: GatewayProcess, key: unknown, state: string): Promise<void> {
  await eventually(async () => {
    const { json } = await gateway.send("GET", `/api/v1/applications/${key}`);
    return json["state"] === state ? true : undefined;
  });
}

function ofAttempts(spans: readonly ReceivedSpan[]): readonly ReceivedSpan[] {
  return spans.filter(({ name }) => attemptNames.includes(name));
}

function named(spans: readonly ReceivedSpan[], name: string): ReceivedSpan | undefined {
  return spans.find((span) => span.name === name);
}

test("a request and its application are one trace, which continues after the gateway was killed", async () => {
  const { env, spans, bodies } = await startTraceReceiver();
  await withCluster(async (cluster) => {
    const gateway = await startGatewayOn(cluster, env);
    const key = await submit(gateway);
    const driver = await driverOf(cluster);
    await eventually(() => named(spans, "submit driver"));
    await setStatus(cluster, driver, runningStatus);
    await hasState(gateway, key, "running");
    await gateway.kill();
    await setStatus(cluster, driver, endedStatus(0));
    const again = await startGatewayOn(cluster, { ...env, OTEL_SERVICE_NAME: "jobs" });
    await eventually(() => named(spans, "run driver"));
    expect(await again.stop()).toBe(0);
    const third = await startGatewayOn(cluster, env);
    await hasState(third, key, "succeeded");
    expect(await third.stop()).toBe(0);
  });
  const post = named(spans, "POST");
  expect(post).toMatchObject({ traceId, parentSpanId: client.spanId, kind: 2, service: "firesteel-gateway" });
  expect(post?.attributes).toMatchObject({
    ...{ "http.request.method": "POST", "url.path": "/api/v1/applications", "url.scheme": "http" },
    ...{ "http.response.status_code": 201, "firesteel.protocol": "api" },
  });
  const attempt = ofAttempts(spans);
  expect(attempt.map(({ name }) => name).sort()).toEqual(attemptNames);
  for (const span of attempt) expect(span).toMatchObject({ traceId, parentSpanId: post?.spanId });
  expect(attempt[0]?.attributes).toMatchObject({
    ...{ "firesteel.application.key": "api-0", "firesteel.application.name": "pi", "firesteel.attempt": 1 },
    "k8s.namespace.name": "default",
  });
  expect(named(attempt, "run driver")).toMatchObject({
    ...{ startMs: Date.parse("2026-01-01T00:00:01Z"), endMs: Date.parse("2026-01-01T00:00:02Z"), service: "jobs" },
    attributes: { "firesteel.state": "succeeded", "process.exit.code": 0 },
  });
  const [wait, submission] = [named(attempt, "wait in queue"), named(attempt, "submit driver")];
  expect(wait?.endMs).toBe(submission?.startMs);
  expect(bodies.join("")).not.toMatch(/hidden-|readyz/);
});

test("a request without a trace begins one, in which a failed driver is an error", async () => {
  const { env, spans } = await startTraceReceiver();
  await withCluster(async (cluster) => {
    const gateway = await startGatewayOn(cluster, env);
    await submit(gateway, {});
    await setStatus(cluster, await driverOf(cluster), endedStatus(1));
    await eventually(() => named(spans, "run driver"));
    await gateway.stop();
  });
  const [post, run] = [named(spans, "POST"), named(spans, "run driver")];
  expect(post?.parentSpanId).toBeUndefined();
  expect(run).toMatchObject({
    traceId: post?.traceId,
    status: { code: 2 },
    attributes: { "firesteel.state": "failed" },
  });
});

test("each run of a schedule is a trace, which begins when it is started", async () => {
  const { env, spans } = await startTraceReceiver();
  await withCluster(async (cluster) => {
    const gateway = await startGatewayOn(cluster, env);
    const body = { schedule: "@every 1s", application: { name: "tick", app: "local:///pi.py" } };
    expect((await gateway.send("POST", "/api/v1/schedules", { body })).status).toBe(201);
    await eventually(() => (spans.filter(({ name }) => name === "submit driver").length > 1 ? true : undefined));
    await gateway.stop();
  });
  const starts = spans.filter(({ name }) => name === "start scheduled run");
  expect(new Set(starts.map((span) => span.traceId)).size).toBe(starts.length);
  const post = named(spans, "POST");
  for (const submission of spans.filter(({ name }) => name === "submit driver")) {
    const start = starts.find(({ spanId }) => spanId === submission.parentSpanId);
    expect(start).toMatchObject({ traceId: submission.traceId, attributes: { "firesteel.schedule.name": "tick" } });
    expect(start?.parentSpanId).toBeUndefined();
    expect(start?.traceId).not.toBe(post?.traceId);
  }
});

test("a gateway that is killed after any request has recorded no span twice", async () => {
  await withCluster(async (cluster) => {
    for (let requests = 1; requests < 12; requests += 1) {
      const { tracing, spans } = recorder();
      const application = testApplication({ idempotencyKey: `request-${requests}`, ...client.headers });
      const { transport, isDead } = killedAfter(cluster.transport, requests);
      let isKilled = false;
      const killable: Transport = async (request) => {
        const response = await transport(request);
        return isKilled ? new Promise(() => {}) : response;
      };
      const first = openGatewayApplications(cluster, killable, { tracing }).then(({ submit }) => submit(application));
      await Promise.race([first, eventually(() => (isDead() ? true : undefined))]);
      isKilled = true;
      const again = await openGatewayApplications(cluster, cluster.transport, { tracing });
      const result = await again.submit(application);
      if (result.kind !== "accepted" && result.kind !== "repeated") throw new Error(JSON.stringify(result));
      const { key, podName } = result.application.record;
      await eventually(() => again.get(key)?.driver);
      await setStatus(cluster, podName, endedStatus(0));
      const names = await eventually(() => {
        const recorded = spans.map(({ name }) => name);
        return recorded.includes("run driver") ? recorded : undefined;
      });
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
      await again.close();
    }
  });
});

test("each attempt of an application has its own spans", async () => {
  await withCluster(async (cluster) => {
    const { tracing, spans } = recorder();
    const retries = { ...defaultRetryPolicy, delayMs: 1 };
    const applications = await openGatewayApplications(cluster, cluster.transport, { tracing, retries });
    const result = await applications.submit(testApplication(client.headers));
    if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
    const { key, podName } = result.application.record;
    await eventually(() => applications.get(key)?.driver);
    await setStatus(cluster, podName, { phase: "Failed", reason: "Evicted", message: "The node was low on memory." });
    await eventually(() => {
      const { driver, record } = applications.get(key) ?? {};
      return record?.attempt === 2 ? driver : undefined;
    });
    await setStatus(cluster, `${podName}-2`, endedStatus(0));
    await eventually(() => spans.find(({ name }) => name === "run driver"));
    const ofAttempt = (attempt: number) => spans.filter((span) => span.attempt === attempt);
    expect(ofAttempt(1).map(({ name, failure }) => [name, failure])).toEqual([
      ["accept application", undefined],
      ["wait in queue", undefined],
      ["submit driver", undefined],
      ["start driver", "Evicted"],
    ]);
    expect(ofAttempt(2).map(({ name }) => name)).toEqual([
      ...["wait in queue", "submit driver", "start driver", "run driver"],
    ]);
    expect(ofAttempt(2)[0]?.startMs).toBe(applications.get(key)?.record.notBeforeMs);
    await applications.close();
  });
});

test("an application that is killed in its queue was accepted, and has waited", async () => {
  await withCluster(async (cluster) => {
    const { tracing, spans } = recorder();
    const queues = { ...noRules, queues: new Map([["default", { weight: 1, maxRunning: 0 }]]) };
    const applications = await openGatewayApplications(cluster, cluster.transport, { tracing, queues });
    const result = await applications.submit(testApplication(client.headers));
    if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
    await applications.kill(result.application.record.key, undefined);
    await eventually(() => (spans.length > 1 ? true : undefined));
    expect(spans.map(({ name, failure }) => [name, failure])).toEqual([
      ["accept application", undefined],
      ["wait in queue", undefined],
    ]);
    await applications.close();
  });
});

test.each([["responds with 500", 500] as const, ["does not respond", "none"] as const])(
  "a receiver that %s affects neither requests nor the stop",
  async (_, status) => {
    const { env, bodies } = await startTraceReceiver(() => status);
    await withCluster(async (cluster) => {
      const gateway = await startGatewayOn(cluster, { ...env, OTEL_EXPORTER_OTLP_TIMEOUT: "60000" });
      await submit(gateway);
      await eventually(() => (bodies.length > 0 ? true : undefined));
      expect((await gateway.send("GET", "/api/v1/applications/api-0")).status).toBe(200);
      expect(await gateway.stop()).toBe(0);
      expect(gateway.output()).toMatch(
        /"level":"WARN","text":"(Traces could not be exported|The last traces could not be exported in time)\./,
      );
    });
  },
);
