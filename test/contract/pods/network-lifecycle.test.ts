import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Host } from "../../../src/host/host.ts";
import { nodeHost } from "../../../src/host/node-host.ts";
import { startCluster } from "../../../src/local-cluster/index.ts";
import { sandboxRequirements } from "../../requirements.ts";
import { requires } from "../../test-with.ts";
import { type BuiltProgram, buildProgram } from "../built-program.ts";
import { call } from "../cluster-client.ts";
import { sandboxCases } from "../sandbox-runner.ts";
import { createTestNamespace, isTerminated, sh } from "../test-namespace.ts";
import { descendantsOf, networkCluster, polling, startGreeter } from "./network-cluster.ts";
import { running } from "./pod-checks.ts";

/** Prints the network of this machine: devices, addresses, routes and, for root, rules. */
function machineNetwork(): string {
  const commands = [
    ["ip", "-brief", "link"],
    ["ip", "-brief", "address"],
    ["ip", "route", "show", "table", "all"],
    ...(process.getuid?.() === 0 ? [["nft", "list", "ruleset"]] : []),
  ];
  return commands.map(([command = "", ...args]) => execFileSync(command, args, { encoding: "utf8" })).join("\n");
}

/** Lists the devices of pods in the cluster's network, and the processes and open files of the cluster in this process. */
function resourcesOf() {
  const processes = descendantsOf(process.pid);
  const owner = processes.find(({ pid }) => /^ *pods:/m.test(readIfExists(`/proc/${pid}/net/dev`)));
  const devices = readIfExists(`/proc/${owner?.pid}/net/dev`).match(/^ *pods\d+:/gm) ?? [];
  return {
    devices: devices.length,
    processes: processes.length,
    networks: new Set(processes.map(({ network }) => network)).size,
    files: readdirSync("/proc/self/fd").length,
  };
}

/** The processes are the watchdog, the creator of the namespaces, their first process, pasta and the opener of sockets. */
const withoutPods = { devices: 0, processes: 5, networks: 2 };

/** Returns whether a process still runs; its ID may belong to another one meanwhile. */
function isRunning({ pid, command }: { readonly pid: number; readonly command: string }): boolean {
  return readIfExists(`/proc/${pid}/cmdline`).replaceAll("\0", " ") === command;
}

function readIfExists(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

describe.each(sandboxCases(["bwrap", "unshare"]))("50 pods by $choice of the $user user", (sandboxCase) => {
  const { space } = networkCluster(sandboxCase);

  test("leave no device, process, namespace or open file, and each gets an address of its own", async () => {
    const ips: (string | undefined)[] = [];
    const runPods = async (names: readonly string[]) => {
      for (const name of names) await space().pod(name, { containers: [sh("a", "exec sleep 1000")] });
      for (const name of names) ips.push((await space().until(name, running)).status?.podIP);
      for (const name of names) await space().remove(name, { gracePeriodSeconds: 0 });
    };
    await runPods(["first"]);
    await expect.poll(resourcesOf, polling).toMatchObject(withoutPods);
    const { files } = resourcesOf();
    for (let batch = 0; batch < 5; batch += 1)
      await runPods(Array.from({ length: 10 }, (_, index) => `pod-${batch}-${index}`));
    expect(new Set(ips).size).toBe(51);
    await expect.poll(resourcesOf, polling).toMatchObject(withoutPods);
    // Connections of the tests' own client may be open.
    await expect.poll(() => resourcesOf().files, polling).toBeLessThanOrEqual(files + 5);
  });

  test("a pod that has ended gives back its network, and a restarted container keeps its pod's", async () => {
    await space().pod("ended", { containers: [sh("a", "exit 0")] });
    await space().until("ended", isTerminated);
    await expect.poll(() => resourcesOf().devices, polling).toBe(0);
    const again = "ip -oneline -4 address show eth0; [ -e /v/again ] || { touch /v/again; exit 1; }; exec sleep 1000";
    await space().pod("restarted", {
      ...{ restartPolicy: "OnFailure", volumes: [{ name: "v", emptyDir: {} }] },
      containers: [sh("a", again, { volumeMounts: [{ name: "v", mountPath: "/v" }] })],
    });
    const { status } = await space().until(
      "restarted",
      (pod) => pod.status?.containerStatuses?.[0]?.restartCount === 1,
    );
    await space().until("restarted", running);
    await expect.poll(() => space().log("restarted"), polling).toContain(` inet ${status?.podIP}/24 `);
    expect(resourcesOf().devices).toBe(1);
    await space().remove("restarted", { gracePeriodSeconds: 0 });
  });
});

describe("a cluster whose pods have a network each", () => {
  let program: BuiltProgram;
  beforeAll(async () => {
    program = await buildProgram("cluster-program.ts");
  });
  afterAll(() => program.remove());

  /** Starts a cluster with one pod in a process of its own. */
  async function startProgram(sandbox: string): Promise<{ child: ChildProcess; marker: string }> {
    const directory = mkdtempSync(join(tmpdir(), "firesteel-network-"));
    const marker = `${90_000 + Math.floor(Math.random() * 1_000_000)}.${process.pid}`;
    const child = spawn(process.execPath, [program.path, sandbox, directory, marker], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => {
      child.kill("SIGKILL");
      rmSync(directory, { recursive: true, force: true });
    });
    const output = await new Promise<string>((resolve) => {
      child.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString("utf8")));
      child.once("close", () => resolve("ended"));
    });
    expect(output).toBe("started\n");
    return { child, marker };
  }

  test.for(["bwrap", "unshare"] as const)(
    "leaves no process, namespace or rule when it is killed, with the %s sandbox",
    async (sandbox, context) => {
      requires(sandboxRequirements[sandbox])(context);
      requires("network namespaces")(context);
      const before = machineNetwork();
      const { child, marker } = await startProgram(sandbox);
      const own = () => descendantsOf(child.pid ?? 0);
      await expect
        .poll(() => own().filter(({ command }) => command.startsWith(`sleep ${marker}`)).length, polling)
        .toBe(3);
      const started = own();
      expect(started.map(({ command }) => command)).toEqual(expect.arrayContaining([expect.stringMatching(/^pasta /)]));
      expect(new Set(started.map(({ network }) => network).filter((network) => network !== "")).size).toBeGreaterThan(
        2,
      );
      expect(machineNetwork()).toBe(before);
      child.kill("SIGKILL");
      await expect.poll(() => started.filter(isRunning), polling).toEqual([]);
      expect(machineNetwork()).toBe(before);
    },
  );

  test.for(["bwrap", "unshare"] as const)(
    "serves a user without permissions, and ends with that user's process, with the %s sandbox",
    async (sandbox, context) => {
      requires(sandboxRequirements[sandbox])(context);
      requires("network namespaces")(context);
      requires("a project that all users can read")(context);
      const own = await buildProgram("pods/network-program.ts");
      onTestFinished(own.remove);
      const greeter = await startGreeter("127.0.0.1", "of this machine");
      onTestFinished(greeter.close);
      const directory = mkdtempSync(join(tmpdir(), "firesteel-network-"));
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      const isRoot = process.getuid?.() === 0;
      const user = isRoot ? ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups"] : ["env"];
      if (isRoot) chownSync(directory, 1000, 1000);
      const [command = "", ...args] = [...user, process.execPath, own.path, sandbox, directory, String(greeter.port)];
      const env = { PATH: process.env["PATH"], HOME: directory };
      const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], env });
      onTestFinished(() => void child.kill("SIGKILL"));
      const line = await new Promise<string>((resolve) => {
        child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString("utf8")));
        child.once("close", () => resolve("{}"));
      });
      const log = "of this machine\none\none\ntwo\ntwo\n";
      expect(JSON.parse(line)).toEqual({ network: "pod", notices: [], log });
      const started = descendantsOf(child.pid ?? 0);
      expect(started.length).toBeGreaterThan(5);
      child.kill("SIGKILL");
      await expect.poll(() => started.filter(isRunning), polling).toEqual([]);
    },
  );

  test.for(["bwrap", "unshare"] as const)(
    "leaves nothing when it stops, with the %s sandbox",
    async (sandbox, context) => {
      requires(sandboxRequirements[sandbox])(context);
      requires("network namespaces")(context);
      const before = machineNetwork();
      const directory = mkdtempSync(join(tmpdir(), "firesteel-network-"));
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      const others = new Set(descendantsOf(process.pid).map(({ pid }) => pid));
      const options = { directory, sandbox, apiOnly: false, sparkHomes: [], javaHome: undefined } as const;
      const cluster = await startCluster(nodeHost(), options);
      const space = await createTestNamespace({
        transport: cluster.transport,
        image: "debian:12",
        close: async () => {},
      });
      await space.pod("p", { containers: [sh("a", "exec sleep 1000")] });
      await space.until("p", running);
      const own = () => descendantsOf(process.pid).filter(({ pid }) => !others.has(pid));
      expect(own().length).toBeGreaterThan(5);
      await cluster.stop();
      await expect.poll(own, polling).toEqual([]);
      expect(machineNetwork()).toBe(before);
    },
  );

  /** Returns this machine without a program. */
  function without(host: Host, name: string): Host {
    const { info } = host.files;
    const hides = (path: string) => path.endsWith(`/${name}`);
    const infoOf: Host["files"]["info"] = (path, options) => (hides(path) ? undefined : info(path, options));
    return { ...host, files: { ...host.files, info: infoOf } };
  }

  test.for(["pasta", "ip", "nft"] as const)(
    "shares this machine's network without %s, and says so",
    async (name, context) => {
      requires("bubblewrap")(context);
      const directory = mkdtempSync(join(tmpdir(), "firesteel-network-"));
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      const machine = name === "nft" ? without(nodeHost(), "iptables") : nodeHost();
      const options = { directory, sandbox: "bwrap", apiOnly: false, sparkHomes: [], javaHome: undefined } as const;
      const cluster = await startCluster(without(machine, name), options);
      onTestFinished(() => cluster.stop());
      expect([cluster.network, cluster.machineName]).toEqual(["shared", undefined]);
      const notice = expect.stringContaining(`Pods share the network of this machine (not installed: ${name})`);
      expect(cluster.notices).toEqual([notice]);
      const events = await call(cluster.transport, { method: "GET", path: "/api/v1/events" });
      const { items }: { items: readonly object[] } = JSON.parse(events);
      expect(items).toContainEqual(
        expect.objectContaining({ type: "Warning", reason: "PodNetworkUnavailable", message: notice }),
      );
      const space = await createTestNamespace({
        transport: cluster.transport,
        image: "debian:12",
        close: async () => {},
      });
      await space.pod("p", { containers: [sh("a", "readlink /proc/self/ns/net; grep host.firesteel /etc/hosts")] });
      await space.until("p", isTerminated);
      const own = descendantsOf(process.pid).find(({ network }) => network !== "")?.network;
      expect(await space.log("p")).toBe(`${own}\n127.0.0.1\thost.firesteel.internal\n`);
    },
  );

  test("shares this machine's network if that was requested, without a notice", async (context) => {
    requires("bubblewrap")(context);
    const directory = mkdtempSync(join(tmpdir(), "firesteel-network-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const options = { directory, sandbox: "bwrap", apiOnly: false, sparkHomes: [], javaHome: undefined } as const;
    const cluster = await startCluster(nodeHost(), { ...options, network: "shared" });
    onTestFinished(() => cluster.stop());
    expect([cluster.network, ...cluster.notices]).toEqual(["shared"]);
  });
});
