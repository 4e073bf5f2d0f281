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
  const line = statusLine({ host, clock, log: (_, __, text) => host.stderr.write(`${text}\n`) });
  void reportProgress({
    ...{ clock, latest, container: "main", jobs, line, signal: over.signal },
    observer: {
      executors: () => [
        executor("Running"),
        executor("Running"),
        executor("Pending"),
        executor("Failed", true),
      ],
    },
  });
  return { api, clock, host, over };
}

test("without a terminal, progress is told after ten quiet seconds, with what Spark says of its jobs", async () => {
  const { api, clock, host, over } = progress(() => ({ status: 200, body: [job, job] }));
  await clock.advance(30_500);
  over.abort();
  expect(host.errorText().split("\n").slice(0, -1)).toEqual(
    [10, 20, 30].map(
      (second) =>
        `driver running, ${second} s | executors 2 running, 1 pending, 1 failed | stages 4 done, 2 active | tasks 14 of 40`,
    ),
  );
  expect(api.requests[0]?.path).toBe(
    "/api/v1/namespaces/ns/pods/drv:4141/proxy/api/v1/applications/spark-1/jobs?status=running",
  );
});

test("on a terminal it is one line, rewritten each second", async () => {
  const { clock, host, over } = progress(() => ({ status: 200, body: [] }), true);
  await clock.advance(2500);
  over.abort();
  const lines = host.errorText().split("\r\u001b[K").slice(1);
  expect(lines.map((line) => line.slice(0, 19))).toEqual(
    [0, 1, 2].map((second) => `driver running, ${second} s`),
  );
});

test("a refusal ends the asking for jobs, another failure does not", async () => {
  const forbidden = progress(() => refused(403, "no proxy"));
  await forbidden.clock.advance(120_000);
  forbidden.over.abort();
  expect(forbidden.api.requests).toHaveLength(1);
  const away = progress(() => refused(503, "no endpoints"));
  await away.clock.advance(120_000);
  away.over.abort();
  expect(away.api.requests.length).toBeGreaterThan(5);
  expect(away.api.requests.length).toBeLessThan(10);
});
