import { describe, expect, test } from "vitest";
import { isSubmitError } from "../../errors/submit-error.ts";
import { type TestHost, testHost } from "../../host/test-host.ts";
import type { Pod } from "../../kube/types.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { chunks, type Fault, type TestResponse, testApi } from "../../kube-client/test-api.ts";
import { attach } from "./attach.ts";

const appId = "spark-0a1b2c3d0000400080000123456789ab";
const container = { name: "spark-kubernetes-driver", image: "img:1" };

function driver(name: string, state: "running" | "failed"): Pod {
  const labels = { "spark-role": "driver", "spark-app-selector": appId, "spark-app-name": "pi" };
  const terminated = { exitCode: 3, reason: "Error" };
  const containerState = state === "running" ? { running: { startedAt: "2026-01-01T00:00:00Z" } } : { terminated };
  const status = { ...container, imageID: "", ready: false, restartCount: 0, state: containerState };
  return {
    ...{ apiVersion: "v1", kind: "Pod", spec: { containers: [container, { name: "sidecar" }] } },
    metadata: { name, namespace: "ns", uid: `uid-${name}`, resourceVersion: "7", labels },
    status: { phase: state === "running" ? "Running" : "Failed", containerStatuses: [status] },
  };
}

interface AttachCase {
  readonly id: string;
  readonly pods: readonly Pod[];
  readonly conf?: Readonly<Record<string, string>>;
  /** States that further watches report. */
  readonly changes?: readonly Pod[];
  readonly onWatch?: (host: TestHost) => void;
}

async function run({ id, pods, conf = {}, changes = [], onWatch }: AttachCase) {
  const host = testHost();
  const later = [...changes];
  const watched = (path: string): TestResponse => {
    if (!path.includes("metadata.name")) return { status: 200, stream: chunks("") };
    onWatch?.(host);
    // As in Kubernetes, a watch without a resource version starts with the existing object.
    const first = new URL(path, "http://h").searchParams.get("resourceVersion") ? later.shift() : pods[0];
    const event = first === undefined ? "" : `${JSON.stringify({ type: "MODIFIED", object: first })}\n`;
    return { status: 200, stream: chunks(event) };
  };
  const fault: Fault = ({ path }) => {
    if (path.includes("/log?")) return { status: 200, body: "2026-01-01T00:00:00Z hello\n" };
    if (path.includes("watch=")) return watched(path);
    if (path.includes("labelSelector=")) return { status: 200, body: { metadata: {}, items: pods } };
    const named = pods.find(({ metadata }) => path.endsWith(`/pods/${metadata?.name}`));
    return named === undefined ? undefined : { status: 200, body: later[0] ?? named };
  };
  const api = testApi(fault);
  const logged: string[] = [];
  const result = await host.settle(
    attach({
      host,
      id,
      commandLine: {
        settings: Object.entries(conf).map(([key, value]) => ({ key, value, origin: { kind: "conf" } })),
        ...{ fields: { master: "k8s://https://h" }, propertiesFile: undefined, extraPropertiesFiles: [] },
        ...{ loadsDefaults: false, supervise: false, verbose: false },
      },
      log: (level, logger, text) => logged.push(`${level} ${logger}: ${text}`),
      openClient: async (_host, { server }) =>
        kubeClient({
          ...{ transport: api.transport, server, clock: host.clock, requestTimeoutMs: 5000 },
          log: () => {},
        }),
    }).then(
      (outcome) => ({ outcome, codes: [] }),
      (error: unknown) => {
        if (!isSubmitError(error)) throw error;
        return { outcome: undefined, codes: error.issues.map(({ code }) => code) };
      },
    ),
  );
  return { ...result, logged, api, out: host.outText() };
}

describe("attaching", () => {
  test("to an ended driver returns the same outcome as the submitting command", async () => {
    const { outcome, logged, out } = await run({ id: "ns:drv", pods: [driver("drv", "failed")] });
    expect(outcome).toMatchObject({
      ...{ appName: "pi", appId, namespace: "ns", podName: "drv", behaviors: { exitCode: "driver" } },
      end: { kind: "failed", exitCode: 3, reason: "Error" },
    });
    const about = `with application ID ${appId} and submission ID ns:drv`;
    expect(logged).toContain(`INFO LoggingPodStatusWatcherImpl: Waiting for application pi ${about} to finish...`);
    expect(logged.at(-1)).toBe(`INFO LoggingPodStatusWatcherImpl: Application pi ${about} finished`);
    expect(out).toBe("");
  });

  test("to a running driver waits for its end", async () => {
    const changes = [driver("drv", "failed")];
    const ended = changes.map((pod) => ({ ...pod, metadata: { ...pod.metadata, resourceVersion: "8" } }));
    const { outcome } = await run({ id: "ns:drv", pods: [driver("drv", "running")], changes: ended });
    expect(outcome?.end).toMatchObject({ kind: "failed", exitCode: 3 });
  });

  test("prints the driver's log if the setting says so", async () => {
    const conf = { "spark.firesteel.logs": "driver" };
    const { out, api } = await run({ id: "ns:drv", pods: [driver("drv", "failed")], conf });
    expect(out).toBe("hello\n");
    expect(api.requests.find(({ path }) => path.includes("/log?"))?.path).toContain(
      "container=spark-kubernetes-driver",
    );
  });

  test("ends at a signal, and keeps the driver running", async () => {
    const onWatch = (host: TestHost) => host.raise("SIGTERM");
    const { outcome, api } = await run({ id: "ns:drv", pods: [driver("drv", "running")], onWatch });
    expect(outcome).toMatchObject({
      master: "k8s://https://h",
      end: { kind: "interrupted", signal: "SIGTERM", driver: "running" },
    });
    expect(api.requestLines.filter((call) => call.startsWith("DELETE"))).toEqual([]);
  });

  test("finds a driver by a prefix of its name, and by its application ID", async () => {
    const pods = [driver("drv", "failed")];
    for (const id of ["ns:d*", `ns:${appId}`, appId]) {
      expect((await run({ id, pods })).outcome).toMatchObject({ podName: "drv" });
    }
  });

  test("to no driver or to several drivers is rejected", async () => {
    const pods = [driver("a1", "running"), driver("a2", "running")];
    expect((await run({ id: "ns:a*", pods })).codes).toEqual(["SUBMIT_ERR_DRIVER_AMBIGUOUS"]);
    expect((await run({ id: "ns:b*", pods })).codes).toEqual(["SUBMIT_ERR_DRIVER_MISSING"]);
    expect((await run({ id: "ns:drv", pods: [] })).codes).toEqual(["SUBMIT_ERR_DRIVER_MISSING"]);
  });

  test("with invalid inputs sends nothing, and reports all of them", async () => {
    const conf = { "spark.firesteel.logs": "some", "spark.kubernetes.report.interval": "0" };
    const { codes, api } = await run({ id: "ns:", pods: [], conf });
    expect(codes).toEqual(["SUBMIT_ERR_SETTING_VALUE", "SUBMIT_ERR_SETTING_CHOICE", "SUBMIT_ERR_SUBMISSION_ID_NAME"]);
    expect(api.requestLines).toEqual([]);
  });
});
