import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { startApi, call } from "../test/acceptance/embedded-api.ts";
import { setStatus, eventually } from "../test/acceptance/gateway-cluster.ts";
import { openDashboardGateway, submitTo } from "../test/acceptance/dashboard-gateway.ts";

const out = process.argv[2] ?? "/tmp/shots";
const cluster = await startApi(mkdtempSync(join(tmpdir(), "shots-")));
const lines: string[] = [];
for (let i = 0; i < 1400; i++) lines.push(`26/11/29 15:${String(Math.floor(i / 60) % 60).padStart(2, "0")}:${String(i % 60).padStart(2, "0")} ${i % 97 === 0 ? "WARN" : i === 1390 ? "ERROR" : "INFO"} TaskSetManager: Finished task ${i}.0 in stage 3.0 (TID ${i}) in ${i * 7 % 900} ms on 10.0.0.${i % 9} (executor ${i % 8}) (${i}/1400)`);
const gateway = await openDashboardGateway(cluster, () => lines);
const c = { name: "spark-kubernetes-driver", image: "spark", imageID: "", restartCount: 0 };
const t = (s: number) => new Date(Date.now() - s * 1000).toISOString().replace(/\.\d+Z/, "Z");
const names = ["nightly-etl", "clickstream-sessions", "feature-store-refresh", "churn-model-training", "ad-hoc-query", "inventory-sync-with-a-rather-long-name-that-wraps", "fraud-scoring"];
const owners = ["alice", "bob", "carol", undefined];
let failedKey = "", runningKey = "";
const t0 = Date.now();
for (let i = 0; i < 200; i++) {
  const queue = i % 5 === 4 ? "nightly" : undefined;
  const owner = owners[i % 4];
  const r = await submitTo(gateway, { name: `${names[i % 7]}-${i}`, ...(queue && { queue }), ...(owner && { owner }), settings: { "spark.executor.instances": "4", "spark.app.token": "x" } });
  if (queue) continue;
  await eventually(() => (gateway.applications.get(r.key)?.driver ? true : undefined));
  const k = i % 10;
  const start = 4000 - i * 18;
  const cond = [{ type: "PodScheduled", status: "True", lastTransitionTime: t(start + 20) }];
  if (i > 192) { await setStatus(cluster, r.podName, { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes are available: 3 Insufficient cpu." }] } as never); continue; }
  if (k === 3 || k === 7 || i > 150) {
    await setStatus(cluster, r.podName, { phase: "Running", conditions: cond, containerStatuses: [{ ...c, ready: true, state: { running: { startedAt: t(start) } } }] } as never);
    runningKey = r.key;
  } else {
    const code = k === 1 || k === 6 ? 137 : 0;
    await setStatus(cluster, r.podName, { phase: code ? "Failed" : "Succeeded", conditions: cond, containerStatuses: [{ ...c, ready: false, state: { terminated: { exitCode: code, reason: code ? "OOMKilled" : "Completed", startedAt: t(start), finishedAt: t(start - 300 - i) } } }] } as never);
    if (code) failedKey = r.key;
  }
  if (k === 5) { await gateway.applications.kill(r.key, "alice"); }
}
console.log("populated", Date.now() - t0);
const app = gateway.applications.get(runningKey);
const pods = await call<any>(cluster, "GET", "/api/v1/namespaces/default/pods?labelSelector=spark-role%3Ddriver");
const driver = pods.items.find((p: any) => p.metadata.name === app?.record.podName);
for (let e = 1; e <= 8; e++) {
  const name = `exec-${e}`;
  await call(cluster, "POST", "/api/v1/namespaces/default/pods", { apiVersion: "v1", kind: "Pod", metadata: { name, labels: { ...driver.metadata.labels, "spark-role": "executor", "spark-exec-id": String(e) } }, spec: { containers: [{ name: "e", image: "spark" }] } });
  await setStatus(cluster, name, { phase: e === 3 || e === 5 ? "Failed" : "Running", containerStatuses: [{ ...c, name: "e", ready: true, state: e === 3 || e === 5 ? { terminated: { exitCode: 137, reason: "OOMKilled", finishedAt: t(-2) } } : { running: { startedAt: t(0) } } }] } as never);
}
await call(cluster, "POST", "/api/v1/namespaces/default/events", { apiVersion: "v1", kind: "Event", metadata: { name: "e1" }, involvedObject: { kind: "Pod", namespace: "default", name: app?.record.podName }, reason: "Pulled", type: "Normal", message: "Successfully pulled image in 12s", firstTimestamp: t(60), lastTimestamp: t(60), count: 1 });
await new Promise((r) => setTimeout(r, 1500));
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const [device, width, height] of [["desk", 1280, 800], ["phone", 390, 844]] as const)
  for (const scheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
    const page = await context.newPage();
    page.on("console", (m) => console.log(device, m.type(), m.text()));
    page.on("pageerror", (e) => console.log(device, "ERR", e.message));
    const shot = async (name: string, hash: string, full = false) => {
      await page.goto(`${gateway.url}/ui${hash}`);
      await page.waitForTimeout(900);
      await page.screenshot({ path: `${out}/${device}-${scheme}-${name}.png`, fullPage: full });
      const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      if (Number(wide) > 0) console.log("OVERFLOW", device, name, wide);
    };
    await shot("list", "#/");
    await shot("log", `#/applications/${runningKey}`);
    await shot("exec", `#/applications/${runningKey}/executors`);
    await shot("settings", `#/applications/${runningKey}/settings`);
    await shot("failed", `#/applications/${failedKey}/events`);
    await shot("queues", "#/queues", true);
    await shot("submit", "#/submit");
    await context.close();
  }
await browser.close();
await gateway.stop();
await cluster.stop();
process.exit(0);
