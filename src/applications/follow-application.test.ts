import { expect, test } from "vitest";
import { type TestHost, testHost } from "../host/test-host.ts";
import { kubeClient } from "../kube-client/client.ts";
import { chunks, type Fault, neverEndingStream, refused, testApi } from "../kube-client/test-api.ts";
import { readApplied } from "./applied-application.ts";
import { followApplication } from "./follow-application.ts";

const options = { options: {}, reservedKeys: "reject" } as const;
const document = { name: "job", app: "local:///job.py", image: "spark:4.3.0" };
const always = { restartPolicy: { type: "Always" } };
const now = Date.UTC(2026, 0, 2, 3, 4, 5);

const running = { phase: "Running" };
const failed = {
  phase: "Failed",
  containerStatuses: [
    {
      name: "spark-kubernetes-driver",
      state: { terminated: { exitCode: 3, reason: "Error", finishedAt: new Date(now - 50_000).toISOString() } },
    },
  ],
};

interface Case {
  readonly fields?: object;
  /** Status of the driver in a list. @default it has failed */
  readonly listed?: object;
  /** Digest of the file of the driver. @default that of the application */
  readonly digest?: string;
  readonly fault?: Fault;
  readonly stopped?: AbortController;
  readonly onState?: (text: string) => void;
  readonly onDelete?: (host: TestHost) => void;
}

/** Follows an application that has a driver, whose end a watch shows at once. */
async function follow({ fields = {}, listed = failed, digest, fault, stopped, onState, onDelete }: Case) {
  const host = testHost({ now });
  const application = readApplied({ file: "job.yaml", document: { ...document, ...fields } }, options);
  if (application.kind !== "application") throw new Error("not an application");
  const record = {
    ...{ application: "job", digest: digest ?? application.digest, submissionAttempts: 1, executionAttempts: 1 },
  };
  const path = "/api/v1/namespaces/default/pods/job-driver";
  const api = testApi((request, number) => {
    if (request.method === "DELETE") onDelete?.(host);
    const response = fault?.(request, number);
    if (response !== undefined) return response;
    if (request.path.includes("/events") && request.path.includes("watch="))
      return { status: 200, stream: neverEndingStream(request.signal) };
    const driver = api.objects.get(path);
    if (driver === undefined || request.method !== "GET" || !request.path.includes("/pods")) return undefined;
    const object = { ...driver, status: failed };
    if (request.path.includes("watch="))
      return { status: 200, stream: chunks(`${JSON.stringify({ type: "ADDED", object })}\n`) };
    if (request.path.includes("/log?")) return { status: 200, body: "" };
    return { status: 200, body: request.path.includes(path) ? object : { items: [{ ...driver, status: listed }] } };
  });
  api.put(path, {
    ...{ apiVersion: "v1", kind: "Pod", spec: { containers: [{ name: "spark-kubernetes-driver" }] } },
    metadata: { name: "job-driver", annotations: { "firesteel.dev/application": JSON.stringify(record) } },
  });
  const openClient = async () =>
    kubeClient({
      ...{ transport: api.transport, server: "https://h", clock: host.clock, requestTimeoutMs: 5000 },
      ...{ log: () => {}, defaultNamespace: "default" },
    });
  const overrides = { fields: { master: "k8s://https://h" }, settings: [], verbose: false };
  const openEmbedded = () => Promise.reject(new Error("no embedded cluster"));
  const run = {
    ...{ host, client: await openClient(), application, overrides, openEmbedded, openClient },
    stopped: stopped?.signal,
  };
  const states: string[] = [];
  const ends: string[] = [];
  const report = {
    onState(text: string) {
      states.push(text);
      onState?.(text);
    },
    onOutcome: ({ end }: { end: { kind: string } }) => void ends.push(end.kind),
    onFailure: () => {},
  };
  const followed = await host.settle(followApplication(run, report));
  const requests = api.requests.map(({ method, path: target }) => ({ method, path: target }));
  return { host, followed, states, ends, requests, driver: api.objects.get(path) };
}

const isList = ({ path }: { readonly path: string }) => path.includes("/pods?") && !path.includes("watch=");

test("a stopped application is not repeated, whatever its restart policy", async () => {
  const stopped = new AbortController();
  const { followed, states, requests } = await follow({ fields: always, stopped, onState: () => stopped.abort() });
  expect(states).toEqual(["job is FAILING, attempt 1: driver container failed with ExitCode: 3, Reason: Error"]);
  expect(followed).toMatchObject({ status: { state: "FAILING" }, interruptedBy: undefined });
  expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
});

test("an interrupt ends the wait for a driver whose deletion does not end", async () => {
  const { followed, requests } = await follow({
    fields: always,
    onDelete: (host) => host.clock.after(5000, () => host.raise("SIGINT")),
    fault: ({ method }) => (method === "DELETE" ? { status: 202, body: {} } : undefined),
  });
  expect(requests.some(({ method }) => method === "DELETE")).toBe(true);
  expect(followed).toMatchObject({ status: { state: "PENDING_RERUN" }, interruptedBy: "SIGINT" });
});

test("the end that a watch shows decides, also if a list of pods still shows a running driver", async () => {
  const { followed, ends, requests } = await follow({ listed: running });
  expect(ends).toEqual(["failed"]);
  expect(followed.status).toMatchObject({
    state: "FAILED",
    errorMessage: "driver container failed with ExitCode: 3, Reason: Error",
  });
  // One before the wait, and one for each decision after that of the driver's end.
  expect(requests.filter(isList)).toHaveLength(3);
});

test("the end of a driver that ended before is reported, and decides", async () => {
  const { followed, ends } = await follow({ listed: failed });
  expect(ends).toEqual(["failed"]);
  expect(followed).toMatchObject({ status: { state: "FAILED" }, outcome: { end: { exitCode: 3 } } });
});

test("a list that fails for a while does not end an application", async () => {
  let failures = 20;
  const { followed, states } = await follow({
    listed: running,
    fault: (request) => (isList(request) && failures-- > 0 ? refused(503, "restarting") : undefined),
  });
  expect(states[0]).toMatch(/^job: .*restarting.*; trying again$/);
  expect(followed.status.state).toBe("FAILED");
});

test("a list that the API does not permit ends an application", async () => {
  const denied = follow({ fault: () => refused(403, "pods is forbidden") });
  await expect(denied).rejects.toMatchObject({ code: "SUBMIT_ERR_KUBE_FORBIDDEN" });
});

test("a driver that is deleted after it was listed is not waited for", async () => {
  const { followed, states } = await follow({
    listed: running,
    fault: (request, number) => {
      if (!isList(request)) return request.path.includes("/pods/job-driver") ? refused(404, "gone") : undefined;
      return number > 5 ? { status: 200, body: { items: [] } } : undefined;
    },
  });
  expect(followed.status.state).toBe("FAILED");
  expect(states.at(-1)).toBe("job is FAILED, attempt 1: driver pod not found");
});

test("the time to live counts from the end of the driver, also for one that ended before", async () => {
  const { host, followed, driver } = await follow({ fields: { timeToLiveSeconds: 60 }, listed: failed });
  expect(followed.status).toMatchObject({ state: "FAILED", terminationMs: now - 50_000 });
  expect(driver).toBeUndefined();
  expect(host.clock.now() - now).toBeLessThan(11_000);
});

test("a run of a changed file is replaced, without its attempts", async () => {
  const { states, requests } = await follow({ digest: "other", listed: failed });
  expect(states.slice(0, 2)).toEqual(["job is PENDING_RERUN", "job is SUBMITTED, attempt 1"]);
  const methods = requests.map(({ method }) => method);
  expect(methods.indexOf("DELETE")).toBeLessThan(methods.indexOf("POST"));
});
