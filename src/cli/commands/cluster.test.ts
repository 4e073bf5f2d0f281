import { describe, expect, test } from "vitest";
import { type TestHost, type TestHostOptions, testHost } from "../../host/test-host.ts";
import { parseStartOptions, printStartOptions } from "./cluster/options.ts";
import { startInBackground } from "./cluster/start.ts";
import { runClusterCommand } from "./cluster.ts";

const directory = "/s/clusters/default";

function machine(options: TestHostOptions = {}): TestHost {
  const files = { [directory]: null, ...options.files };
  return testHost({ ...options, env: { FIRESTEEL_STATE: "/s" }, files });
}

/** Starts a process with the command line of the cluster's daemon. */
function startDaemon(host: TestHost, commandLine: string): void {
  const { pid } = host.spawn("node", []);
  host.files.makeDirectory(`/proc/${pid}`);
  host.files.write(`/proc/${pid}/cmdline`, commandLine.replaceAll(" ", "\0"));
  host.files.link(String(pid), `${directory}/lock`);
}

const run = (host: TestHost, ...args: string[]) => runClusterCommand(host, args);

describe("firesteel cluster", () => {
  test("prints usage, and rejects unknown commands", async () => {
    const host = machine();
    expect([await run(host), await run(host, "--help")]).toEqual([1, 0]);
    expect(host.outText()).toBe(host.errorText());
    await expect(run(host, "restart")).rejects.toThrow("Unknown command: cluster restart");
  });

  test("passes its options to the daemon", () => {
    const options = parseStartOptions([
      "--name=a-1",
      "--api-only",
      "--sandbox",
      "fake",
      "--network=shared",
      "--spark-version",
      "4.1",
      ...["--sync", "always", "--repair", "--no-overcommit", "--host-path", "/data", "--host-path=/more"],
    ]);
    expect(options.overcommits).toBe(false);
    expect(options.hostPathRoots).toEqual(["/data", "/more"]);
    expect(parseStartOptions(printStartOptions(options))).toEqual(options);
    expect(() => parseStartOptions(["--sandbox", "docker"])).toThrow(/Invalid value 'docker' for --sandbox/);
    expect(() => parseStartOptions(["--sync", "often", "--host-path", "x"])).toThrow(
      /Invalid value 'x' for --host-path.*Invalid value 'often' for --sync/s,
    );
    expect(() => parseStartOptions(["--name", "../x"])).toThrow(/Invalid value '..\/x' for --name/);
  });
});

describe("firesteel cluster chaos", () => {
  const chaos = (...args: string[]) => run(machine(), "chaos", ...args);

  test("prints usage, and rejects unknown commands", async () => {
    const host = machine();
    expect(await run(host, "chaos", "--help")).toBe(0);
    expect(host.outText()).toMatch(/^Usage: firesteel cluster chaos/);
    await expect(chaos("undo")).rejects.toThrow("Unknown command: cluster chaos undo");
  });

  test("rejects an invalid rule with all its problems, by option name", async () => {
    const wrong = ["404", "--verb", "peek", "--times", "often", "--for", "soon", "--retry-after", "5"];
    await expect(chaos("add", ...wrong)).rejects.toThrow(
      /Invalid value '404' for fault; allowed: 401, .*Invalid value 'often' for --times.*Invalid value 'soon' for --for.*Invalid value '\["peek"\]' for --verb/s,
    );
    await expect(chaos("add", "slow")).rejects.toMatchObject({
      code: "SUBMIT_ERR_CHAOS_FIELD",
      message: expect.stringContaining("Invalid value 'nothing' for --delay of slow"),
    });
    await expect(chaos("add", "drop", "--gone")).rejects.toMatchObject({ code: "SUBMIT_ERR_ARG_UNKNOWN" });
    await expect(chaos("evict", "--container", "a")).rejects.toThrow("Unrecognized option: --container");
    await expect(chaos("step-clock", "--by", "0s")).rejects.toThrow("Invalid value '0' for --by");
  });

  test("requires a running cluster", async () => {
    for (const args of [["list"], ["clear"], ["add", "500", "--times=2"], ["lose-node", "--for", "1min"]])
      await expect(chaos(...args)).rejects.toMatchObject({ code: "SUBMIT_ERR_CLUSTER_NOT_FOUND" });
  });
});

describe("firesteel cluster image", () => {
  test("lists no images at first, and rejects missing files and images", async () => {
    const host = machine();
    expect(await run(host, "image", "list", "--json")).toBe(0);
    expect(host.outText()).toBe("[]\n");
    await expect(run(host, "image", "load", "none.tar")).rejects.toMatchObject({
      code: "SUBMIT_ERR_IMAGE_ARCHIVE",
      message: expect.stringContaining("/home/tester/job/none.tar: the file does not exist"),
    });
    await expect(run(host, "image", "remove", "app:1")).rejects.toMatchObject({
      code: "SUBMIT_ERR_IMAGE_NOT_FOUND",
    });
    await expect(run(host, "image", "load")).rejects.toThrow("firesteel cluster image load requires an archive");
    await expect(run(host, "image", "push")).rejects.toThrow("Unknown command: cluster image push");
  });
});

describe("firesteel cluster without a cluster", () => {
  test("status reports it with exit code 1, also as JSON", async () => {
    const host = machine();
    expect(await run(host, "status")).toBe(1);
    expect(await run(host, "status", "--json")).toBe(1);
    expect(host.outText()).toBe('Cluster "default" is not running.\n{\n  "name": "default",\n  "running": false\n}\n');
  });

  test("env fails, and stop succeeds", async () => {
    const host = machine();
    await expect(run(host, "env")).rejects.toMatchObject({ code: "SUBMIT_ERR_CLUSTER_NOT_FOUND" });
    expect(await run(host, "stop")).toBe(0);
    expect(host.outText()).toBe('Cluster "default" was not running.\n');
  });
});

describe("cluster stop", () => {
  test("stops the daemon, and keeps the objects", async () => {
    const host = machine({ spawn: () => {}, files: { [`${directory}/data/objects`]: null } });
    startDaemon(host, "node firesteel.cjs cluster serve");
    expect(await run(host, "stop")).toBe(0);
    expect(host.children[0]?.signals).toEqual(["SIGTERM"]);
    expect(host.files.info(`${directory}/data/objects`)).toBeDefined();
  });

  test("ignores another process that has the ID of an earlier daemon", async () => {
    const host = machine({ spawn: () => {} });
    startDaemon(host, "editor");
    await run(host, "stop");
    expect(host.children[0]?.signals).toEqual([]);
    expect(host.outText()).toMatch(/was not running/);
  });
});

describe("cluster delete", () => {
  test("stops the daemon, and deletes all files", async () => {
    const host = machine({ spawn: () => {}, files: { [`${directory}/data/objects`]: null } });
    startDaemon(host, "node firesteel.cjs cluster serve");
    expect(await run(host, "delete")).toBe(0);
    expect(await run(host, "delete")).toBe(0);
    expect(host.children[0]?.signals).toEqual(["SIGTERM"]);
    expect(host.files.info(directory)).toBeUndefined();
    expect(host.outText()).toBe('Cluster "default" deleted.\nCluster "default" does not exist.\n');
  });
});

describe("cluster start", () => {
  test("reports the last lines of the daemon's log if it does not start", async () => {
    const host = machine({
      spawn: (child) => {
        host.files.write(`${directory}/cluster.log`, "one\nThe port is taken.\n");
        child.exit(1);
      },
    });
    await expect(host.settle(startInBackground(host, ["--api-only"]))).rejects.toMatchObject({
      code: "SUBMIT_ERR_CLUSTER_START",
      message: expect.stringMatching(/did not start\.\none\nThe port is taken\./),
    });
    expect(host.children[0]).toMatchObject({ command: "/usr/bin/node", options: { detached: true } });
    expect(host.children[0]?.args).toEqual(
      expect.arrayContaining([host.programPath, "cluster", "serve", "--api-only"]),
    );
  });

  test("starts the daemon in its working directory, for relative paths in the environment", async () => {
    const host = machine({ cwd: "/work", spawn: (child) => child.exit(1) });
    await expect(host.settle(startInBackground(host, ["--api-only"]))).rejects.toThrow(/did not start/);
    expect(host.children[0]?.options.cwd).toBe("/work");
  });

  test("rejects a second daemon of the same cluster", async () => {
    const host = machine({ spawn: () => {} });
    startDaemon(host, "node firesteel.cjs cluster serve");
    await expect(run(host, "serve", "--api-only")).rejects.toMatchObject({
      code: "SUBMIT_ERR_CLUSTER_IN_USE",
    });
  });
});
