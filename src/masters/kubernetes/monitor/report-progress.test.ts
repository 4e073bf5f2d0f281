import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import type { Pod } from "../../../kube/types.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import { type Fault, refused, testApi } from "../../../kube-client/test-api.ts";
import { latestPod } from "../watch/latest-pod.ts";
import { pollJobs } from "./poll-jobs.ts";
import { reportProgress } from "./report-progress.ts";
import { statusLine } from "./status-line.ts";

const driver: Pod = {
  metadata: { name: "drv", namespace: "ns" },
  spec: { containers: [{ name: "main", ports: [{ name: "spark-ui", containerPort: 4141 }] }] },
  status: { phase: "Running" },
};

const job = { numTasks: 20, numCompletedTasks: 7, numActiveStages: 1, numCompletedStages: 2 };

function progress(fault: Fault, terminal = false) {
  const host = testHost({ terminal, env: { NO_COLOR: "1" } });
  const { clock } = host;
  const api = testApi(fault);
  const over = new AbortController();
  const client = kubeClient({
    ...{ transport: api.transport, clock, server: "https://api", requestTimeoutMs: 5000 },
    log: () => {},
  }).withoutRetries();
  const latest = latestPod(driver);
  const jobs = pollJobs({ client, clock, appId: "spark-1", latest, signal: over.signal });
  const executor = (phase: string, isDeleted = false) => ({ object: { status: { phase } }, isDeleted });
  const line = statusLine({ host, log: (_, __, text) => host.stderr.write(`${text}\n`) });
  void reportProgress({
    ...{ clock, latest, container: "main", jobs, line, signal: over.signal },
    observer: {
      executors: () => [executor("Running"), executor("Running"), executor("Pending"), executor("Failed", true)],
    },
  });
  const lines = () => host.errorText().split("\n").slice(0, -1);
  return { api, clock, host, latest, lines, over };
}

test("without a terminal, an unchanged state is logged every 30 s, with the progress of Spark's jobs after a minute", async () => {
  const { api, clock, lines, over } = progress(() => ({ status: 200, body: [job, job] }));
  await clock.advance(59_500);
  expect(api.requests).toEqual([]);
  await clock.advance(1000);
  over.abort();
  const executors = "executors 2 running, 1 pending, 1 failed";
  expect(lines()).toEqual([
    `driver running, 30 s | ${executors}`,
    `driver running, 1 min | ${executors} | stages 4 done, 2 active | tasks 14 of 40`,
  ]);
  expect(api.requests[0]?.path).toBe(
    "/api/v1/namespaces/ns/pods/drv:4141/proxy/api/v1/applications/spark-1/jobs?status=running",
  );
});

test("a driver that has run for long is asked for its jobs immediately", async () => {
  const { api, clock, host, latest, over } = progress(() => ({ status: 200, body: [] }));
  const startedAt = new Date(host.clock.now() - 3_600_000).toISOString();
  const running = {
    name: "main",
    image: "x",
    imageID: "x",
    ready: true,
    restartCount: 0,
    state: { running: { startedAt } },
  };
  latest.set({ ...driver, status: { phase: "Running", containerStatuses: [running] } });
  await clock.advance(1000);
  over.abort();
  expect(api.requests).toHaveLength(1);
});

test("without a terminal, a changed state is logged once, at most every five seconds", async () => {
  const { clock, latest, lines, over } = progress(() => ({ status: 200, body: [] }));
  const setPhase = (phase: string) => latest.set({ ...driver, status: { phase } });
  await clock.advance(9500);
  setPhase("Failed");
  await clock.advance(1000);
  for (let count = 0; count < 4; count += 1) {
    setPhase(count % 2 === 0 ? "Running" : "Failed");
    await clock.advance(1000);
  }
  setPhase("Succeeded");
  await clock.advance(20_000);
  over.abort();
  expect(lines().map((line) => line.split(" | ")[0])).toEqual(["driver failed, 10 s", "driver succeeded, 15 s"]);
});

test("on a terminal, the progress is one line that is rewritten every second", async () => {
  const { clock, host, over } = progress(() => ({ status: 200, body: [] }), true);
  await clock.advance(2500);
  over.abort();
  const lines = host.errorText().split("\r\u001b[K").slice(1);
  expect(lines.map((line) => line.slice(0, 19))).toEqual([0, 1, 2].map((second) => `driver running, ${second} s`));
});

test("a denial ends the requests for jobs, another failure does not", async () => {
  const forbidden = progress(() => refused(403, "no proxy"));
  await forbidden.clock.advance(160_000);
  forbidden.over.abort();
  expect(forbidden.api.requests).toHaveLength(1);
  const unavailable = progress(() => refused(503, "no endpoints"));
  await unavailable.clock.advance(160_000);
  unavailable.over.abort();
  expect(unavailable.api.requests.length).toBeGreaterThan(5);
  expect(unavailable.api.requests.length).toBeLessThan(10);
});
