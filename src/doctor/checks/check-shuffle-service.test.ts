import { expect, test } from "vitest";
import { doctor, type TestDoctor } from "../test-doctor.ts";

const labels = { "app.kubernetes.io/name": "firesteel", "app.kubernetes.io/component": "shuffle-service" };

/** DaemonSet of the Helm chart, ready on a number of its two nodes. */
const daemonSet = (ready = 2) => ({
  ...{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "shuffle", namespace: "spark", labels } },
  spec: {
    template: {
      spec: {
        containers: [{ name: "shuffle-service", ports: [{ name: "shuffle", containerPort: 7337 }] }],
        volumes: [{ name: "local-1", hostPath: { path: "/var/lib/spark-local" } }],
      },
    },
  },
  status: { desiredNumberScheduled: 2, numberReady: ready },
});

const conf = { "spark.firesteel.shuffle": "service", "spark.dynamicAllocation.maxExecutors": "2" };

/** Returns the findings about dynamic allocation besides the one about the settings alone. */
async function check(call: TestDoctor) {
  const findings = await doctor({ ...call, conf: { ...conf, ...call.conf } });
  return findings
    .filter((found) => found.check === "dynamic-allocation")
    .map(({ status, reason, key = "", fix = "" }) => ({ status, reason, key, fix }))
    .filter(({ reason }) => !reason.startsWith("The settings"));
}

const withService: TestDoctor["setUp"] = ({ put }) => put("daemonsets.apps", daemonSet());

test.each<[TestDoctor, string, string]>([
  [{}, "warning The cluster has no DaemonSet of Firesteel's shuffle service", "spark.firesteel.shuffle"],
  [{ setUp: withService }, "ok The shuffle service spark/shuffle is ready on 2 nodes.", ""],
  [
    { setUp: withService, conf: { "spark.shuffle.service.port": "7447" } },
    "warning The shuffle service spark/shuffle has the port 7337, but executors look for it at 7447.",
    "spark.shuffle.service.port",
  ],
  [
    { setUp: withService, conf: { "spark.firesteel.shuffle.directories": "/var/lib/spark-local,/fast/" } },
    "warning The shuffle service spark/shuffle does not serve /fast/: it rejects executors.",
    "spark.firesteel.shuffle.directories",
  ],
  [
    { setUp: ({ put }) => put("daemonsets.apps", daemonSet(1)) },
    "warning The shuffle service spark/shuffle is ready on 1 of 2 nodes: executors on the others end.",
    "spark.firesteel.shuffle",
  ],
  [
    { node: { metadata: { name: "one", annotations: { "firesteel/shuffle-service": "true" } } } },
    "ok A shuffle service runs on one.",
    "",
  ],
])("%j: %s", async (call, text, key) => {
  const findings = await check(call);
  expect(findings.map(({ status, reason }) => `${status} ${reason}`)).toEqual([expect.stringContaining(text)]);
  expect(findings[0]?.key).toBe(key);
});

test("an account that cannot list DaemonSets skips the check, with a fix", async () => {
  const findings = await check({ account: "default" });
  expect(findings).toMatchObject([{ status: "skipped", fix: expect.stringContaining("--allow doctor") }]);
});

test("a submission without a service does not list DaemonSets", async () => {
  const off = { "spark.firesteel.shuffle": "tracking" };
  expect(await check({ account: "default", conf: off })).toEqual([]);
});
