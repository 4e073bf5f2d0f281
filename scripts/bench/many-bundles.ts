import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { BundleRecord } from "../../src/staging-server/store/bundle-record.ts";
import { storeLayout } from "../../src/staging-server/store/layout.ts";
import { cpuOf, peakOf } from "./measure.ts";
import { send, stagingServerArgs, startFileServer } from "./staging-targets.ts";

/** Measurements of one round of the cleaner. */
export interface CleanerRound {
  readonly bundles: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

const labels = { "spark-role": "driver", "spark-app-selector": "app" };
const namespaces = 50;

/** Measures the first round over bundles in 50 namespaces, each with a running driver. */
export async function measureCleaner(directory: string, bundles: number): Promise<CleanerRound> {
  const store = join(directory, "store");
  fill(store, bundles);
  const metadata = { name: "driver", labels };
  const list = JSON.stringify({
    ...{ kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "1" } },
    items: [{ apiVersion: "v1", kind: "Pod", metadata, status: { phase: "Running" } }],
  });
  const api = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(list);
  });
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  const address = api.address();
  const apiPort = typeof address === "object" ? address?.port : undefined;
  const token = join(directory, "token");
  writeFileSync(token, "server-token");
  const cluster = ["--api-server", `http://127.0.0.1:${apiPort}`, "--api-token-file", token];
  // The second round comes long after the first.
  const args = stagingServerArgs(store, ...cluster, "--clean-interval", "10s");
  const server = await startFileServer(args, directory);
  try {
    const cpu = cpuOf(server.pid);
    for (;;) {
      const metrics = await send(server.port, { method: "GET", path: "/metrics" });
      const metric = (name: string) => Number(new RegExp(`^firesteel_staging_${name} (.*)$`, "m").exec(metrics)?.[1]);
      const seconds = metric("cleaner_round_seconds");
      if (seconds > 0 && metric("bundles") === bundles) {
        const cpuSeconds = (cpuOf(server.pid) - cpu) / 1000;
        return { bundles, seconds, cpuSeconds, peakMiB: peakOf(server.pid) / 1024 };
      }
      await setTimeout(100);
    }
  } finally {
    await server.stop();
    api.close();
    api.closeAllConnections();
  }
}

function fill(store: string, bundles: number): void {
  const digest = `sha256:${"0".repeat(64)}` as const;
  for (let index = 0; index < bundles; index += 1) {
    const namespace = `team-${index % namespaces}`;
    const directory = storeLayout(store).bundlesOf(namespace);
    if (index < namespaces) mkdirSync(directory, { recursive: true });
    const record: BundleRecord = {
      bundleId: randomUUID(),
      owner: { namespace, labels, type: "Pod" },
      entries: [{ kind: "jar", name: "app.jar", digest, size: 10, executable: false }],
      createdAtMs: Date.now(),
      leaseUntilMs: 0,
      history: {},
    };
    writeFileSync(join(directory, `${record.bundleId}.json`), JSON.stringify(record));
  }
}
