import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { resourceTypes } from "../../src/kube/resources.ts";
import type { KubeResource } from "../../src/kube/types.ts";
import { testWith } from "../test-with.ts";
import { type ApiCluster, freePort, listIn, startApiCluster } from "./api-cluster.ts";
import { send } from "./gateway-clients.ts";
import { pendingDrivers, startGateway as startGatewayProcess } from "./gateway-process.ts";
import { installPackage } from "./installed-package.ts";
import { type RunningProgram, root, run, start, temporaryDirectory } from "./programs.ts";

const image = ["--conf", "spark.kubernetes.container.image=spark:4.3.0"];
const batch = { file: "local:///opt/app.jar", className: "Main" };

interface StoreGateway extends RunningProgram {
  readonly url: string;
}

async function waitUntilReady(url: string, { ended }: RunningProgram): Promise<void> {
  void ended.then(({ exit, stderr }) => {
    if (exit !== "SIGKILL" && exit !== 0) throw new Error(stderr);
  });
  await expect
    .poll(async () => (await send(url, { method: "GET", path: "/readyz" })).status, { timeout: 60_000, interval: 20 })
    .toBe(200);
}

/** Starts a gateway, and waits until it serves. */
async function startGateway({ env }: ApiCluster, ...options: readonly string[]): Promise<StoreGateway> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = start("firesteel", ["gateway", "--port", String(port), ...image, ...options], { env });
  await waitUntilReady(url, program);
  return { ...program, url };
}

async function kill({ child, ended }: RunningProgram): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

async function stop({ child, ended }: RunningProgram): Promise<void> {
  child.kill("SIGTERM");
  expect((await ended).exit).toBe(0);
}

const submitBatch = (url: string) => send(url, { method: "POST", path: "/batches", body: batch });

async function batches(url: string): Promise<unknown> {
  return (await send(url, { method: "GET", path: "/batches" })).json["sessions"];
}

async function total(url: string, states: string): Promise<unknown> {
  return (await send(url, { method: "GET", path: `/api/v1/applications?limit=1&state=${states}` })).json["total"];
}

test("applications, schedules and IDs survive a kill in the database, and no Secret has a record", async () => {
  const cluster = await startApiCluster();
  const directory = join(temporaryDirectory(), "store");
  const properties = join(temporaryDirectory(), "gateway.conf");
  writeFileSync(properties, "gateway.total.maxRunning 1\n");
  const options = ["--store", directory, "--properties-file", properties];
  const first = await startGateway(cluster, ...options);
  for (const id of [0, 1, 2]) expect(await submitBatch(first.url)).toMatchObject({ status: 201, json: { id } });
  const nightly = { schedule: "30 2 * * *", application: { name: "nightly", app: batch.file, class: "Main" } };
  const created = await send(first.url, { method: "POST", path: "/api/v1/schedules", body: nightly });
  expect(created.status).toBe(201);
  await expect.poll(() => total(first.url, "pending"), { timeout: 60_000 }).toBe(1);
  await kill(first);

  const second = await startGateway(cluster, ...options);
  expect(await batches(second.url)).toMatchObject([{ id: 0 }, { id: 1 }, { id: 2 }]);
  expect([await total(second.url, "pending"), await total(second.url, "queued")]).toEqual([1, 2]);
  const schedules = await send(second.url, { method: "GET", path: "/api/v1/schedules" });
  expect(schedules.json).toMatchObject({ schedules: [{ name: "nightly" }] });
  const { json: next } = await submitBatch(second.url);
  expect(Number(next["id"])).toBeGreaterThan(2);
  const secrets = await listIn<KubeResource & { readonly type?: string }>(cluster, resourceTypes.secret, "default");
  expect(secrets.filter(({ type }) => type?.startsWith("firesteel.dev/"))).toEqual([]);
  await stop(second);
  expect(readdirSync(directory)).toEqual(["gateway.db"]);
});

test("records outlive the embedded cluster of the gateway", async () => {
  const options = ["--store", join(temporaryDirectory(), "store"), ...pendingDrivers];
  const first = await startGatewayProcess(...options);
  expect((await first.send("POST", "/batches", { body: batch })).json["id"]).toBe(0);
  await first.kill();
  const second = await startGatewayProcess(...options);
  expect((await second.send("GET", "/batches")).json["sessions"]).toMatchObject([{ id: 0 }]);
  expect(Number((await second.send("POST", "/batches", { body: batch })).json["id"])).toBeGreaterThan(0);
});

test("a gateway with another database does not know earlier applications, whose drivers continue", async () => {
  const cluster = await startApiCluster();
  const store = () => ["--store", join(temporaryDirectory(), "store")];
  const first = await startGateway(cluster, ...store());
  await submitBatch(first.url);
  await expect.poll(() => total(first.url, "pending"), { timeout: 60_000 }).toBe(1);
  await kill(first);
  const drivers = await listIn(cluster, resourceTypes.pod, "default");
  const second = await startGateway(cluster, ...store());
  expect(await batches(second.url)).toEqual([]);
  expect(await submitBatch(second.url)).toMatchObject({ status: 201, json: { id: 0 } });
  await expect.poll(() => total(second.url, "pending"), { timeout: 60_000 }).toBe(1);
  const names = (await listIn(cluster, resourceTypes.pod, "default")).map(({ metadata }) => metadata.name);
  expect(names).toHaveLength(2);
  expect(names).toEqual(expect.arrayContaining(drivers.map(({ metadata }) => metadata.name)));
  await stop(second);
});

test("a second gateway on the same directory fails with the reason, and so does one with --elect", async () => {
  const cluster = await startApiCluster();
  const directory = join(temporaryDirectory(), "store");
  const first = await startGateway(cluster, "--store", directory);
  const { env } = cluster;
  const second = await run("firesteel", ["gateway", "--port", "0", ...image, "--store", directory], { env });
  expect(second.exit).not.toBe(0);
  expect(second.stderr).toContain(
    `The gateway cannot use its database ${join(directory, "gateway.db")}: another process uses it.`,
  );
  expect(second.stderr).toContain("Stop the other gateway, or name another directory with --store.");
  const elected = await run("firesteel", ["gateway", "--elect", ...image, "--store", directory], { env });
  expect(elected.stderr).toContain(`Invalid value '${directory}' for --store; allowed: a directory without --elect`);
  expect((await submitBatch(first.url)).status).toBe(201);
  await stop(first);
});

test("a damaged database stops the start with its path, and is not changed", async () => {
  const { env } = await startApiCluster();
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "gateway.db"), "damaged".repeat(1000));
  const { exit, stderr } = await run("firesteel", ["gateway", "--port", "0", ...image, "--store", directory], { env });
  expect(exit).not.toBe(0);
  expect(stderr).toContain(`${join(directory, "gateway.db")}: it is damaged: file is not a database.`);
  expect(stderr).toContain("Restore all files of its directory from a backup");
  expect(readdirSync(directory)).toEqual(["gateway.db"]);
});

test("without the package libsql, the message says how to install it", async () => {
  const { env } = await startApiCluster();
  const project = temporaryDirectory();
  installPackage(project);
  const program = join(project, "node_modules", "firesteel", "dist", "bin", "firesteel.cjs");
  const child = spawn(process.execPath, [program, "gateway", "--port", "0", ...image, "--store", "store"], {
    ...{ cwd: project, env: { ...process.env, ...env } },
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  expect(await new Promise((resolve) => child.on("close", resolve))).not.toBe(0);
  expect(stderr).toContain("the package libsql cannot be loaded: Cannot find module 'libsql'");
  expect(stderr).toContain("Install it beside Firesteel: npm install libsql@0.5.");
});

/** Mounts a disk of 1 MB in a namespace of its own. @returns how programs start there, and the disk's path for this process */
async function mountSmallDisk() {
  const disk = temporaryDirectory();
  const script = 'mount -t tmpfs -o size=1000k small "$0" && echo mounted && exec sleep infinity';
  const holder = spawn("unshare", ["-rm", "sh", "-c", script, disk], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await new Promise((resolve) => holder.stdout.once("data", resolve));
  const inside = ["-U", "-m", "--preserve-credentials", "-t", String(holder.pid)];
  return { disk, inside, outside: `/proc/${holder.pid}/root${disk}` };
}

testWith("user namespaces")("on a full disk, requests get 503, and what was accepted is kept", async () => {
  const { env } = await startApiCluster();
  const { disk, inside, outside } = await mountSmallDisk();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const launch = async () => {
    const command = [process.execPath, join(root, "dist", "bin", "firesteel.cjs"), "gateway", "--port", String(port)];
    const child = spawn("nsenter", [...inside, ...command, ...image, "--store", join(disk, "store")], {
      env: { ...env, PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}` },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    const ended = new Promise<{ exit: number | string; stdout: string; stderr: string }>((resolve) => {
      child.stdout.resume();
      child.on("close", (code, signal) => resolve({ exit: code ?? signal ?? "", stdout: "", stderr }));
    });
    await waitUntilReady(url, { child, ended });
    return { child, ended };
  };
  const first = await launch();
  expect((await submitBatch(url)).json).toMatchObject({ id: 0 });
  fillDisk(outside);
  const rejected = [];
  // Space that the log of the database has already takes some more.
  while (rejected.length < 3) {
    const { status, headers } = await submitBatch(url);
    expect([201, 503]).toContain(status);
    if (status === 503) rejected.push(headers["retry-after"]);
  }
  expect(rejected).toEqual(["5", "5", "5"]);
  const { json: kept } = await send(url, { method: "GET", path: "/api/v1/applications" });
  await kill(first);
  const second = await launch();
  const { json: found } = await send(url, { method: "GET", path: "/api/v1/applications" });
  expect(found["total"]).toBe(kept["total"]);
  rmSync(join(outside, "filler"));
  expect((await submitBatch(url)).status).toBe(201);
  await stop(second);
});

function fillDisk(directory: string): void {
  mkdirSync(directory, { recursive: true });
  try {
    writeFileSync(join(directory, "filler"), Buffer.alloc(2_000_000));
  } catch {
    // The part that fits is written.
  }
}
