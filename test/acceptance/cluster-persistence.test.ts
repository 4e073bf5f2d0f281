import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { testWith } from "../test-with.ts";
import { requestApi } from "./background-api.ts";
import { run, temporaryDirectory } from "./programs.ts";

/** Starts a background cluster with a state directory of its own; deleted after the test. */
function background(state: string) {
  const firesteel = (...args: string[]) => run("firesteel", args, { env: { FIRESTEEL_STATE: state } });
  onTestFinished(async () => {
    await firesteel("cluster", "delete");
  });
  return {
    firesteel,
    async start() {
      const { stdout, exit, stderr } = await firesteel("cluster", "start", "--api-only", "--json");
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      const facts: { pid: number; kubeconfig: string; url: string } = JSON.parse(stdout);
      return facts;
    },
    async kill(pid: number) {
      process.kill(pid, "SIGKILL");
      await expect.poll(async () => (await firesteel("cluster", "status")).exit).toBe(1);
    },
  };
}

/** Moves a stopped cluster to an address that no other cluster takes while it is stopped: each takes the first free one. */
function moveFromFirstAddresses(state: string): void {
  const file = join(state, "clusters", "default", "data", "identity.json");
  const address = `127.90.${100 + (process.pid % 150)}.1`;
  writeFileSync(
    file,
    JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), listening: { address, port: 6443 } }),
  );
}

const path = "/api/v1/namespaces/default/configmaps";

function configMap(name: string) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text: "x".repeat(10_000) } };
}

function namesIn(text: string): string[] {
  const list: { items: { metadata: { name: string } }[] } = JSON.parse(text);
  return list.items.map(({ metadata }) => metadata.name).filter((name) => name !== "kube-root-ca.crt");
}

describe("a cluster in the background keeps", () => {
  test("its objects, address and keys when it is stopped and when it is killed", async () => {
    const state = temporaryDirectory();
    const { firesteel, start, kill } = background(state);
    await start();
    await firesteel("cluster", "stop");
    moveFromFirstAddresses(state);
    const first = await start();
    expect(first.url).not.toMatch(/127\.90\.[0-9]{1,2}\.1:/);
    const created = await requestApi(first.kubeconfig, "POST", path, { body: configMap("a") });
    expect(created.status).toBe(201);
    const { uid, resourceVersion } = JSON.parse(created.text).metadata;
    await firesteel("cluster", "stop");
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(JSON.parse((await requestApi(second.kubeconfig, "GET", `${path}/a`)).text).metadata).toMatchObject({
      uid,
      resourceVersion,
    });
    await requestApi(second.kubeconfig, "POST", path, { body: configMap("b") });
    await kill(second.pid);
    const third = await start();
    expect(third.url).toBe(first.url);
    expect(namesIn((await requestApi(third.kubeconfig, "GET", path)).text)).toEqual(["a", "b"]);
    await firesteel("cluster", "delete");
  });

  test("its secrets readable only by its owner", async () => {
    const state = temporaryDirectory();
    // Another account that can list the parent directory.
    chmodSync(state, 0o755);
    const { firesteel, start } = background(state);
    const { kubeconfig } = await start();
    const directory = join(state, "clusters", "default");
    const open = readdirSync(directory, { recursive: true, encoding: "utf8" })
      .map((name) => join(directory, name))
      .filter((file) => !file.endsWith("/lock") && (statSync(file).mode & 0o077) !== 0);
    expect(open).toEqual([]);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect((await requestApi(kubeconfig, "GET", path, { isAnonymous: true })).status).toBe(403);
    if (process.getuid?.() === 0) {
      const unprivileged = ["--reuid=65534", "--regid=65534", "--clear-groups", "cat", kubeconfig];
      expect(spawnSync("setpriv", unprivileged, { encoding: "utf8" })).toMatchObject({
        status: 1,
        stdout: "",
        stderr: expect.stringContaining("Permission denied"),
      });
    }
    await firesteel("cluster", "delete");
  });
});

/** Mounts a file system of 4 MB. */
function smallDisk(): string {
  const disk = join(temporaryDirectory(), "disk");
  mkdirSync(disk);
  expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk]).status).toBe(0);
  onTestFinished(() => {
    spawnSync("umount", ["--lazy", disk]);
  });
  return disk;
}

testWith("the permission to mount")(
  "a full disk rejects changes but not reads, and loses no acknowledged change",
  async () => {
    const disk = smallDisk();
    const { firesteel, start, kill } = background(disk);
    const { kubeconfig, pid } = await start();
    const kept: string[] = [];
    const filler = join(disk, "filler");
    writeFileSync(filler, Buffer.alloc(1_500_000));
    let rejection = { status: 201, text: "" };
    for (let count = 0; count < 500 && rejection.status === 201; count += 1) {
      const name = `c${String(count).padStart(3, "0")}`;
      rejection = await requestApi(kubeconfig, "POST", path, { body: configMap(name) });
      if (rejection.status === 201) kept.push(name);
    }
    expect(rejection.status).toBe(507);
    expect(JSON.parse(rejection.text)).toMatchObject({
      kind: "Status",
      reason: "InsufficientStorage",
      message: expect.stringMatching(/cannot write to .*ENOSPC.*nothing was changed/),
    });
    expect(namesIn((await requestApi(kubeconfig, "GET", path)).text)).toEqual(kept);
    const changed = { ...configMap("c000"), data: { text: "y".repeat(10_000) } };
    expect((await requestApi(kubeconfig, "PUT", `${path}/c000`, { body: changed })).status).toBe(507);
    // Deleting objects frees space.
    expect((await requestApi(kubeconfig, "DELETE", `${path}/c000`)).status).toBe(200);
    rmSync(filler);
    expect((await requestApi(kubeconfig, "POST", path, { body: configMap("later") })).status).toBe(201);
    await kill(pid);
    const next = await start();
    expect(namesIn((await requestApi(next.kubeconfig, "GET", path)).text)).toEqual([...kept.slice(1), "later"]);
    await firesteel("cluster", "delete");
  },
);
