import { expect, test } from "vitest";
import { orThrow } from "../errors/submit-error.ts";
import { testHost } from "../host/test-host.ts";
import { kubeClient } from "../kube-client/client.ts";
import { type Fault, refused, testApi } from "../kube-client/test-api.ts";
import { isSchedule, readApplication } from "../spark-application/read/read-application.ts";
import { appliedApplication } from "./applied-application.ts";
import { followSchedule } from "./follow-schedule.ts";
import { loadSchedule } from "./load-schedule.ts";

const template = {
  ...{ type: "Scala", sparkVersion: "4.0.5", mainApplicationFile: "local:///a.jar", driver: {}, executor: {} },
};
const header = { apiVersion: "sparkoperator.k8s.io/v1beta2", metadata: { name: "pi", namespace: "jobs" } };
const options = { options: {}, reservedKeys: "reject" } as const;

/** Follows a schedule that does not start a run while another one exists. */
function following(list: Fault) {
  const host = testHost();
  const spec = { schedule: "@every 5m", concurrencyPolicy: "Forbid", template };
  const schedule = orThrow(readApplication("s", { ...header, kind: "ScheduledSparkApplication", spec }));
  if (!isSchedule(schedule)) throw new Error("not a schedule");
  const application = (name: string) =>
    appliedApplication(
      {
        file: "s",
        application: {
          ...schedule,
          kind: "SparkApplication",
          metadata: { ...header.metadata, name },
          spec: schedule.spec.template,
        },
      },
      options,
    );
  const client = kubeClient({
    ...{ transport: testApi(list).transport, server: "https://h", clock: host.clock, requestTimeoutMs: 5000 },
    ...{ log: () => {}, defaultNamespace: "jobs" },
  });
  const openEmbedded = () => Promise.reject(new Error("no embedded cluster"));
  const overrides = { fields: {}, settings: [], verbose: false };
  const reported: string[] = [];
  const end = followSchedule(
    { host, client, application: application("pi"), applicationOf: application, overrides, openEmbedded },
    loadSchedule("s", schedule, options),
    { onState: (text) => reported.push(text), onFailure: () => {} },
  );
  return { host, reported, end };
}

function running() {
  const record = { application: "pi-1", digest: "", submissionAttempts: 1, executionAttempts: 1 };
  const annotations = { "firesteel.dev/application": JSON.stringify(record) };
  const metadata = { name: "pi-1-driver", creationTimestamp: "2026-01-01T00:00:00Z", annotations };
  const items = [{ metadata, spec: { containers: [] }, status: { phase: "Running" } }];
  return { status: 200, body: { metadata: {}, items } };
}

const skipped = "pi: a run is due, but the last one has not ended";

test("a skipped run is reported once, and the next decision is at the next time", async () => {
  const { host, reported, end } = following(running);
  await host.advance(5 * 60_000);
  expect(reported).toEqual([skipped]);
  await host.advance(4 * 60_000);
  expect(reported).toEqual([skipped]);
  await host.advance(60_000);
  expect(reported).toEqual([skipped, skipped]);
  host.raise("SIGTERM");
  expect(await host.settle(end)).toBe("SIGTERM");
});

test("a list that fails for a while does not end a schedule", async () => {
  let isAway = true;
  const { host, reported, end } = following(() => (isAway ? refused(503, "restarting") : running()));
  await host.advance(10_000);
  expect(reported).toEqual([expect.stringMatching(/^pi: .*restarting.*; trying again$/)]);
  isAway = false;
  await host.advance(11 * 60_000);
  expect(reported.at(-1)).toBe(skipped);
  host.raise("SIGINT");
  expect(await host.settle(end)).toBe("SIGINT");
});

test("a list that the API does not permit ends a schedule", async () => {
  const { host, end } = following(() => refused(403, "pods is forbidden"));
  await expect(host.settle(end)).rejects.toMatchObject({ code: "SUBMIT_ERR_KUBE_FORBIDDEN" });
});
