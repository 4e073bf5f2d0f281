import { describe, expect, test } from "vitest";
import { behaviorsOf } from "../../../conf/behaviors.ts";
import { testHost } from "../../../host/test-host.ts";
import type { Pod } from "../../../kube/types.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import { refused } from "../../../kube-client/test-api.ts";
import { testDriver } from "../../../plan/test-driver.ts";
import { uploadsAnnotation } from "../../../plan/uploads-annotation.ts";
import { interruption } from "../../interruption.ts";
import type { WaitOptions } from "../../wait-options.ts";
import { monitorDriver } from "./monitor-driver.ts";
import { type DriverBehavior, testDriverApi } from "./test-driver-api.ts";

const container = "spark-kubernetes-driver";

function pod(version: number, phase = "Pending", state: object = { waiting: {} }): Pod {
  const status = { name: container, image: "img", imageID: "", ready: false, restartCount: 0, state };
  return {
    metadata: { name: "drv", namespace: "ns", uid: "u", resourceVersion: String(version) },
    status: { phase, containerStatuses: [status] },
  };
}

const pending = pod(1);
const running = pod(5, "Running", { running: {} });
const killed: Pod = {
  ...pod(9, "Failed", { terminated: { exitCode: 143, reason: "Error" } }),
  metadata: { ...pending.metadata, resourceVersion: "9", deletionTimestamp: "2026-01-01T00:00:09Z" },
};

/** Behavior of the cluster, and files that exist before the wait. */
interface Cluster extends DriverBehavior {
  /** Uploaded files in the directories that the pod's annotation lists. */
  readonly uploads?: Readonly<Record<string, string>>;
}

/** Output of the command. */
interface Output {
  readonly terminal?: boolean;
  readonly verbose?: boolean;
  readonly strict?: boolean;
}

function monitoring(
  waitOptions: Partial<WaitOptions>,
  { uploads = {}, ...behavior }: Cluster = {},
  { terminal = false, verbose = false, strict = false }: Output = {},
) {
  const host = testHost({ files: uploads, terminal });
  const directories = Object.keys(uploads).map((path) => `file://${path.replace(/\/[^/]*$/, "")}`);
  const annotations = { [uploadsAnnotation]: JSON.stringify(directories) };
  const driver = directories.length === 0 ? pending : { ...pending, metadata: { ...pending.metadata, annotations } };
  const { clock } = host;
  const { transport, requests } = testDriverApi(clock, pending, behavior);
  const logged: string[] = [];
  const client = kubeClient({
    ...{ transport, server: "https://api", clock, log: () => {}, requestTimeoutMs: 10_000 },
  });
  const ended = monitorDriver({
    ...{ host, client, container, pod: driver, verbose },
    behaviors: behaviorsOf(strict ? { FIRESTEEL_STRICT: "1" } : {}),
    uploader: { host, owner: testDriver() },
    log: (level, _, text) => logged.push(`${level} ${text.split("\n")[0]}`),
    interrupted: interruption(host),
    app: { name: "pi", id: "spark-1" },
    cluster: { master: "k8s://https://api" },
    traits: { strayBraceInWaitingLine: false, watchNamesPodFirst: false },
    waitOptions: {
      reportIntervalMs: () => 60_000,
      ...{
        logs: "none",
        startTimeoutMs: 0,
        runTimeoutMs: 0,
        failFast: false,
        killOnInterrupt: false,
        archive: undefined,
      },
      ...waitOptions,
    },
  });
  const deleted = () => requests.filter(({ method }) => method === "DELETE").map(({ body }) => String(body));
  return { clock, deleted, end: clock.settle(ended.then(({ end }) => end)), host, logged, requests };
}

describe("uploads that end with their driver", () => {
  const directory = "/up/spark-upload-0a1b2c3d-0000-4000-8000-0123456789ab";
  const uploads = { [`${directory}/a`]: "a" };

  test("are removed after its end, and so is the pod's annotation", async () => {
    const ended = pod(9, "Succeeded", { terminated: { exitCode: 0, reason: "Completed" } });
    const { end, host, requests } = monitoring({}, { uploads, changes: { 1000: ended } });
    expect(await end).toMatchObject({ kind: "succeeded" });
    expect(host.files.list("/up")).toEqual([]);
    const patch = requests.find(({ method }) => method === "PATCH");
    expect(String(patch?.body)).toBe(`{"metadata":{"annotations":{"${uploadsAnnotation}":null}}}`);
  });

  test("are removed with a terminated driver", async () => {
    const { end, host } = monitoring({ startTimeoutMs: 60_000 }, { uploads });
    expect(await end).toMatchObject({ kind: "terminated" });
    expect(host.files.list("/up")).toEqual([]);
  });
});

describe("an archive", () => {
  const ended = pod(9, "Failed", { terminated: { exitCode: 3, reason: "Error" } });
  const changes = { 1000: running, 5000: ended };

  test.each([
    ["", false],
    [", also with Spark's behaviors", true],
  ])("is written after the driver's end%s", async (_, strict) => {
    const { end, host, logged } = monitoring({ archive: "/archive/of/team" }, { changes }, { strict });
    expect(await end).toMatchObject({ kind: "failed", exitCode: 3 });
    expect(host.files.list("/archive/of/team")).toEqual(["drv.tar.gz"]);
    expect(host.files.info("/archive/of/team/drv.tar.gz")?.mode).toBe(0o600);
    expect(logged).toContain("INFO Archived the application in /archive/of/team/drv.tar.gz");
    expect(host.files.list(host.files.temporaryRoot) ?? []).toEqual([]);
  });

  test("that cannot be written is one warning with the reason and the command, and does not change the outcome", async () => {
    const uploads = { "/up/spark-upload-0a1b2c3d-0000-4000-8000-0123456789ab/a": "a", "/archive": "a file" };
    const { end, logged } = monitoring({ archive: "/archive" }, { changes, uploads });
    expect(await end).toMatchObject({ kind: "failed", exitCode: 3 });
    const warnings = logged.filter((line) => line.startsWith("WARN Cannot archive"));
    expect(warnings).toEqual([
      expect.stringMatching(
        /^WARN Cannot archive the application in \/archive: .+\. To make the bundle while the driver's pod exists, run: firesteel bundle ns:drv --master k8s:\/\/https:\/\/api$/,
      ),
    ]);
  });

  test("of a deleted driver has the logs that were stored before", async () => {
    const { end, host } = monitoring({ archive: "/archive", runTimeoutMs: 10_000 }, { changes: { 1000: running } });
    expect(await end).toMatchObject({ kind: "terminated" });
    expect(host.files.list("/archive")).toEqual(["drv.tar.gz"]);
  });

  test("is not written while the driver runs", async () => {
    const { end, host, logged, clock } = monitoring({ archive: "/archive" }, { changes: { 1000: running } });
    clock.after(5000, () => host.raise("SIGINT"));
    expect(await end).toMatchObject({ kind: "interrupted" });
    expect(host.files.list("/archive")).toBeUndefined();
    expect(logged).toContainEqual(expect.stringContaining("the wait ended before the driver"));
  });
});

describe("a start timeout", () => {
  const waitOptions = { startTimeoutMs: 60_000 };

  test("deletes a driver that has not started", async () => {
    const { clock, deleted, end, logged } = monitoring(waitOptions);
    expect(await end).toMatchObject({
      kind: "terminated",
      why: { kind: "startTimeout", limitMs: 60_000 },
      driver: "deleted",
      left: [],
    });
    expect(clock.monotonic()).toBe(60_000);
    expect(deleted()[0]).toContain('"preconditions":{"uid":"u","resourceVersion":"1"}');
    expect(logged).toContain("WARN Deleted the driver: it did not start in time.");
  });

  test("is the outcome even if the watch reports the deletion before the API responds", async () => {
    const { end } = monitoring(waitOptions, { responseDelayMs: 5000 });
    expect(await end).toMatchObject({ kind: "terminated", driver: "deleted" });
  });

  test("has no effect on a driver that has started", async () => {
    const changes = { 59000: running, 200000: pod(7, "Succeeded", { terminated: { exitCode: 0 } }) };
    const { deleted, end } = monitoring(waitOptions, { changes });
    expect((await end).kind).toBe("succeeded");
    expect(deleted()).toEqual([]);
  });

  test("does not delete a driver that starts at the same moment", { tags: "long" }, async () => {
    const changes = { 700000: pod(7, "Succeeded", { terminated: { exitCode: 0 } }) };
    const { deleted, end } = monitoring(waitOptions, {
      changes,
      meanwhile: running,
      onDelete: () => refused(409, "the object has been modified"),
    });
    expect((await end).kind).toBe("succeeded");
    expect(deleted()).toHaveLength(1);
  });

  test("reports a driver whose deletion was denied", async () => {
    const { end } = monitoring(waitOptions, { onDelete: () => refused(403, "denied") });
    expect(await end).toMatchObject({
      kind: "terminated",
      driver: "running",
      left: [{ code: "SUBMIT_ERR_KUBE_FORBIDDEN" }],
    });
  });
});

describe("a run timeout", () => {
  const waitOptions = { runTimeoutMs: 100_000 };

  test("deletes the driver and waits for its end", async () => {
    const { clock, end, logged } = monitoring(waitOptions, {
      changes: { 1000: running },
      afterDelete: killed,
    });
    expect(await end).toMatchObject({ kind: "terminated", why: { kind: "runTimeout" }, driver: "deleted" });
    expect(clock.monotonic()).toBeLessThan(105_000);
    expect(logged.at(-1)).toMatch(/finished$/);
  });

  test("does not wait longer than a minute for the driver's end", async () => {
    const { clock, end } = monitoring(waitOptions, { changes: { 1000: running }, afterDelete: running });
    expect((await end).kind).toBe("terminated");
    expect(clock.monotonic()).toBeLessThan(200_000);
  });

  test("can be forty days, longer than the timers of Node", async () => {
    const changes = { 100000: pod(7, "Succeeded", { terminated: { exitCode: 0 } }) };
    const { clock, end } = monitoring({ runTimeoutMs: 40 * 86_400_000 }, { changes });
    expect((await end).kind).toBe("succeeded");
    expect(clock.monotonic()).toBe(100_000);
  });
});

describe("a driver that cannot start", () => {
  test("is deleted with its reason, and its deletion is not diagnosed", async () => {
    const unrecoverable = pod(5, "Pending", { waiting: { reason: "InvalidImageName" } });
    const deletionTimestamp = "2026-01-01T00:00:05Z";
    const terminating: Pod = {
      ...unrecoverable,
      metadata: { ...unrecoverable.metadata, resourceVersion: "6", deletionTimestamp },
    };
    const { deleted, end, logged } = monitoring(
      { failFast: true },
      { changes: { 1000: unrecoverable }, afterDelete: terminating },
    );
    expect(await end).toMatchObject({
      kind: "terminated",
      why: { kind: "unrecoverable" },
      driver: "deleted",
    });
    expect(deleted()).toHaveLength(1);
    expect(logged.filter((line) => line.startsWith("WARN"))).toEqual([
      expect.stringContaining("is not a valid image name"),
      "WARN Deleted the driver: it cannot start without a change.",
    ]);
  });
});

describe("the state of a driver", () => {
  const changes = { 1000: running, 70500: pod(7, "Succeeded", { terminated: { exitCode: 0 } }) };
  const count = (logged: readonly string[], part: string) => logged.filter((line) => line.includes(part)).length;

  test("is logged after each change and every 30 s without a terminal", async () => {
    const { end, logged } = monitoring({}, { changes });
    await end;
    expect(count(logged, "State changed")).toBe(3);
    expect(count(logged, "Container final statuses")).toBe(1);
    expect(count(logged, "Application status")).toBe(0);
    expect(logged.filter((line) => line.includes("driver running"))).toEqual(
      ["5 s", "35 s", "1 min 5 s"].map((time) => `INFO driver running, ${time}`),
    );
  });

  test("is a rewritten line on a terminal, and the pod's fields appear with --verbose only", async () => {
    const { end, host, logged } = monitoring({}, { changes }, { terminal: true });
    await end;
    expect(host.errorText()).toContain("driver running, 1 min");
    expect(logged.map((line) => line.split(" ")[1])).toEqual(["Waiting", "Application"]);
    const verbose = monitoring({}, { changes }, { terminal: true, verbose: true });
    await verbose.end;
    expect(count(verbose.logged, "State changed")).toBe(3);
    expect(count(verbose.logged, "driver running")).toBe(0);
  });

  test("is logged at Spark's interval in strict mode, on a terminal, too", async () => {
    const { end, logged } = monitoring({}, { changes }, { terminal: true, strict: true });
    await end;
    expect(count(logged, "State changed")).toBe(3);
    expect(count(logged, "Application status")).toBe(2);
    expect(count(logged, "driver running")).toBe(0);
  });
});

describe("an interrupt that deletes the driver", () => {
  test("reports a denied deletion", async () => {
    const { end, host } = monitoring(
      { killOnInterrupt: true },
      { changes: { 5: running }, onDelete: () => refused(403, "denied") },
    );
    host.clock.after(1000, () => host.raise("SIGINT"));
    expect(await end).toMatchObject({
      kind: "interrupted",
      driver: "running",
      left: [{ code: "SUBMIT_ERR_KUBE_FORBIDDEN" }],
    });
  });
});
