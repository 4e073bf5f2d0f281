import { expect, test } from "vitest";
import { type TestHost, testHost } from "../host/test-host.ts";
import { kubeClient } from "../kube-client/client.ts";
import { testApi } from "../kube-client/test-api.ts";
import { readApplied } from "./applied-application.ts";
import { followApplication } from "./follow-application.ts";

const options = { options: {}, reservedKeys: "reject" } as const;
const document = { name: "job", app: "local:///job.py", restartPolicy: { type: "Always" } };

/** Follows an application whose driver has failed. */
async function follow(
  stopped: AbortController,
  { onState, onDelete = () => 403 }: { onState: (text: string) => void; onDelete?: (host: TestHost) => number },
) {
  const host = testHost();
  const application = readApplied({ file: "job.yaml", document }, options);
  if (application.kind !== "application") throw new Error("not an application");
  const record = { application: "job", digest: application.digest, submissionAttempts: 1, executionAttempts: 1 };
  const driver = {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...{ name: "job-driver", namespace: "default", creationTimestamp: "2026-01-01T00:00:00Z" },
      annotations: { "firesteel.dev/application": JSON.stringify(record) },
    },
    spec: { containers: [] },
    status: { phase: "Failed" },
  };
  const api = testApi(({ method }) =>
    method === "GET" ? { status: 200, body: { metadata: {}, items: [driver] } } : { status: onDelete(host), body: {} },
  );
  const client = kubeClient({
    ...{ transport: api.transport, server: "https://h", clock: host.clock, requestTimeoutMs: 5000 },
    ...{ log: () => {}, defaultNamespace: "default" },
  });
  const overrides = { fields: {}, settings: [], verbose: false };
  const openEmbedded = () => Promise.reject(new Error("no embedded cluster"));
  const run = { host, client, application, overrides, openEmbedded, stopped: stopped.signal };
  const followed = await host.settle(followApplication(run, { onState, onOutcome: () => {}, onFailure: () => {} }));
  return { followed, methods: new Set(api.requests.map(({ method }) => method)) };
}

test("a stopped application is not repeated, whatever its restart policy", async () => {
  const stopped = new AbortController();
  const states: string[] = [];
  const { followed, methods } = await follow(stopped, {
    onState(text) {
      states.push(text);
      stopped.abort();
    },
  });
  expect(states).toEqual(["job is FAILING, attempt 1: driver container status missing"]);
  expect(followed).toMatchObject({ status: { state: "FAILING" }, interruptedBy: undefined });
  expect(methods).toEqual(new Set(["GET"]));
});

test("an interrupt ends the wait for a driver whose deletion does not end", async () => {
  const onDelete = (host: TestHost) => {
    host.clock.after(5000, () => host.raise("SIGINT"));
    return 200;
  };
  const { followed, methods } = await follow(new AbortController(), { onState: () => {}, onDelete });
  expect(methods).toContain("DELETE");
  expect(followed).toMatchObject({ status: { state: "PENDING_RERUN" }, interruptedBy: "SIGINT" });
});
