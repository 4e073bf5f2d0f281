import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import type { Pod } from "../../src/kube/types.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { ended, nodeLost, running, startKubelet, testedApi } from "./library-cluster.ts";
import { root, temporaryDirectory } from "./programs.ts";

const app = "local:///opt/app.py";

/** Starts an example with the kubeconfig of an API, and an image in spark-defaults.conf. */
function startExample(api: EmbeddedCluster, name: string, args: readonly string[], env: Record<string, string> = {}) {
  const home = temporaryDirectory();
  writeFileSync(join(home, "kubeconfig"), api.kubeconfig);
  writeFileSync(join(home, "spark-defaults.conf"), "spark.kubernetes.container.image spark:4.3.0\n");
  const child = spawn(process.execPath, [join(root, "examples", "library", `${name}.mjs`), ...args], {
    env: { PATH: process.env["PATH"], HOME: home, KUBECONFIG: join(home, "kubeconfig"), SPARK_CONF_DIR: home, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs an example to its end. */
async function runExample(...[api, name, args]: Parameters<typeof startExample>) {
  const child = startExample(api, name, args);
  const [stdout, stderr, [exit]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { exit, stdout, stderr };
}

const appName = (pod: Pod) => pod.metadata?.labels?.["spark-app-name"] ?? "";

test("the nightly batch ends with the exit code of its application, once a day", async () => {
  const api = await testedApi();
  startKubelet(api, () => [running, ended(3)]);
  const first = await runExample(api, "nightly-batch", [app, "1"]);
  expect(first.stderr).toMatch(/^Submitted default:nightly-/);
  expect(first.stderr).toContain("The application failed: Error");
  expect(first.exit).toBe(3);
  const second = await runExample(api, "nightly-batch", [app, "1"]);
  expect([second.exit, second.stderr]).toEqual([3, expect.stringContaining("Submitted")]);
  expect(second.stderr.split("\n")[0]).toBe(first.stderr.split("\n")[0]);
  const { exit, stderr } = await runExample(api, "nightly-batch", [" "]);
  expect([exit, stderr]).toEqual([1, expect.stringContaining("Invalid option app")]);
});

test("the fan-out runs 500 applications, and repeats only those that failed because of the cluster", async () => {
  const api = await testedApi();
  const drivers = new Map<string, number>();
  const concurrency = 20;
  const active = { now: 0, most: 0 };
  let release = () => {};
  const allActive = new Promise<void>((resolve) => {
    release = resolve;
  });
  startKubelet(api, async (pod) => {
    const name = appName(pod);
    active.now += 1;
    active.most = Math.max(active.most, active.now);
    // The first drivers end when the example has reached its concurrency.
    if (active.now === concurrency) release();
    await allActive;
    active.now -= 1;
    const attempt = (drivers.get(name) ?? 0) + 1;
    drivers.set(name, attempt);
    if (name === "part-7" && attempt === 1) return [running, nodeLost];
    return name === "part-13" ? [running, ended(1)] : [running, ended(0)];
  });
  const { exit, stdout, stderr } = await runExample(api, "fan-out", ["500", String(concurrency), app]);
  expect(stderr.trim().split("\n").sort()).toEqual(["Part 13 failed: Error", "Part 7 failed: NodeLost; trying again"]);
  expect([exit, stdout]).toEqual([1, "499 of 500 parts succeeded\n"]);
  expect(active.most).toBe(concurrency);
  expect(drivers.size).toBe(500);
  expect([drivers.get("part-7"), drivers.get("part-13"), drivers.get("part-14")]).toEqual([2, 1, 1]);
});

test("the web service submits, shows, kills and reports problems, and ends on SIGTERM", async () => {
  const api = await testedApi();
  startKubelet(api, () => [running]);
  const child = startExample(api, "web-service", [], { APP: app, PORT: "0" });
  const stderr = text(child.stderr);
  const [url] = await once(createInterface(child.stdout), "line");
  const request = async (method: string, path: string, body?: string) => {
    const response = await fetch(`${url}${path}`, { method, ...(body !== undefined && { body }) });
    return [response.status, JSON.parse(await response.text())];
  };
  const [status, { id }] = await request("POST", "/applications", '{"args": ["7"]}');
  expect([status, id]).toEqual([202, expect.stringMatching(/^default:app-py-.*-driver$/)]);
  const path = `/applications/${encodeURIComponent(id)}`;
  await expect.poll(() => request("GET", path)).toMatchObject([200, { submissionId: id, state: "running" }]);
  expect(await request("DELETE", path)).toEqual([200, { killed: true }]);
  const missing = await request("GET", "/applications/default%3Aother");
  expect(missing).toMatchObject([404, { code: "SUBMIT_ERR_DRIVER_MISSING" }]);
  expect(await request("POST", "/applications", "{")).toEqual([400, { error: "The body is not JSON." }]);
  child.kill("SIGTERM");
  const [exit] = await once(child, "close");
  expect([exit, await stderr]).toEqual([0, ""]);
});
