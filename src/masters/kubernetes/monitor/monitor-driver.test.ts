import { describe, expect, test } from "vitest";
import { behaviorsOf } from "../../../conf/behaviors.ts";
import type { StopSignal } from "../../../errors/stop-signal.ts";
import { testHost } from "../../../host/test-host.ts";
import type { ApiRequest } from "../../../kube/transport.ts";
import type { Pod } from "../../../kube/types.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import { refused, silence, type TestAnswer } from "../../../kube-client/test-api.ts";
import { testDriver } from "../../../plan/test-driver.ts";
import { uploadsAnnotation } from "../../../plan/uploads-annotation.ts";
import { interruption } from "../../interruption.ts";
import { monitorDriver } from "./monitor-driver.ts";
import type { WaitOptions } from "./monitor-options.ts";

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

/** What the cluster does with the driver's pod: it changes over time, and when it is deleted. */
interface Cluster {
  /** By ms. */
  readonly changes?: Readonly<Record<number, Pod>>;
  /** The answer to its deletion. */
  readonly onDelete?: (count: number) => TestAnswer;
  /** How long that answer takes, in ms, while the watch tells of the deletion at once. */
  readonly answerTakesMs?: number;
  /** What it has become in the moment of its deletion. */
  readonly meanwhile?: Pod;
  /** What its watch tells then; default: that it is gone. */
  readonly afterDelete?: Pod;
  /** The folders that its pod names as uploads, and what is in them. */
  readonly uploads?: Readonly<Record<string, string>>;
}

function accompanied(
  waitOptions: Partial<WaitOptions>,
  { changes = {}, onDelete, answerTakesMs = 0, meanwhile, afterDelete, uploads = {} }: Cluster = {},
) {
  const host = testHost({ files: uploads });
  const folders = Object.keys(uploads).map((path) => `file://${path.replace(/\/[^/]*$/, "")}`);
  const annotations = { [uploadsAnnotation]: JSON.stringify(folders) };
  const awaited =
    folders.length === 0 ? pending : { ...pending, metadata: { ...pending.metadata, annotations } };
  const { clock } = host;
  const requests: ApiRequest[] = [];
  const logged: string[] = [];
  let now = pending;
  const told: string[] = [];
  let wake = () => {};
  const tell = (type: string, object: Pod) => {
    now = object;
    told.push(`${JSON.stringify({ type, object })}\n`);
    wake();
  };
  for (const [ms, changed] of Object.entries(changes))
    clock.after(Number(ms), () => tell("MODIFIED", changed));
  async function* watch(signal: StopSignal | undefined): AsyncGenerator<Uint8Array> {
    for (let next = 0; ; ) {
      for (; next < told.length; next += 1) yield Buffer.from(told[next] ?? "");
      await new Promise<void>((resolve, reject) => {
        wake = resolve;
        signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
      });
    }
  }
  let deletions = 0;
  const serve = (request: ApiRequest): TestAnswer => {
    const isOfDriver = request.path.includes("metadata.name%3Ddrv") || request.path.includes("/pods/drv");
    if (!isOfDriver) return aboutOthers(request);
    if (request.path.includes("watch=")) return { status: 200, stream: watch(request.signal) };
    if (request.method !== "DELETE") return { status: 200, body: now };
    deletions += 1;
    now = meanwhile ?? now;
    const answer = onDelete?.(deletions) ?? { status: 200, body: {} };
    if (answer.status < 300) tell(afterDelete === undefined ? "DELETED" : "MODIFIED", afterDelete ?? now);
    return answer;
  };
  const transport = async (request: ApiRequest) => {
    requests.push(request);
    const { status, body, stream } = serve(request);
    if (request.method === "DELETE" && answerTakesMs > 0) await clock.sleep(answerTakesMs);
    return { status, headers: {}, body: stream ?? [Buffer.from(JSON.stringify(body))].values() };
  };
  const client = kubeClient({
    transport: async (request) => {
      const { status, headers, body } = await transport(request);
      return { status, headers, body: toAsync(body) };
    },
    ...{ server: "https://api", clock, log: () => {}, requestTimeoutMs: 10_000 },
  });
  const ended = monitorDriver({
    ...{ host, client, container, pod: awaited, behaviors: behaviorsOf({}) },
    uploader: { host, owner: testDriver() },
    log: (level, _, text) => logged.push(`${level} ${text.split("\n")[0]}`),
    interrupted: interruption(host),
    app: { name: "pi", id: "spark-1" },
    traits: { strayBraceInWaitingLine: false, watchNamesPodFirst: false },
    waitOptions: {
      reportIntervalMs: () => 60_000,
      ...{ logs: "none", startTimeoutMs: 0, runTimeoutMs: 0, failFast: false, killOnInterrupt: false },
      ...waitOptions,
    },
  });
  const deleted = () => requests.filter(({ method }) => method === "DELETE").map(({ body }) => String(body));
  return { clock, deleted, end: clock.settle(ended.then(({ end }) => end)), host, logged, requests };
}

/** There is nothing else in the namespace, and nothing comes. */
function aboutOthers({ path, signal }: ApiRequest): TestAnswer {
  if (path.includes("watch=")) return { status: 200, stream: silence(signal) };
  return { status: 200, body: { items: [], metadata: { resourceVersion: "1" } } };
}

async function* toAsync(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* body;
}

describe("uploads that are to go with their driver", () => {
  const folder = "/up/spark-upload-0a1b2c3d-0000-4000-8000-0123456789ab";
  const uploads = { [`${folder}/a`]: "a" };

  test("are removed when it has ended, and its pod forgets them", async () => {
    const ended = pod(9, "Succeeded", { terminated: { exitCode: 0, reason: "Completed" } });
    const { end, host, requests } = accompanied({}, { uploads, changes: { 1000: ended } });
    expect(await end).toMatchObject({ kind: "succeeded" });
    expect(host.files.list("/up")).toEqual([]);
    const patch = requests.find(({ method }) => method === "PATCH");
    expect(String(patch?.body)).toBe(`{"metadata":{"annotations":{"${uploadsAnnotation}":null}}}`);
  });

  test("are removed with a driver that we gave up", async () => {
    const { end, host } = accompanied({ startTimeoutMs: 60_000 }, { uploads });
    expect(await end).toMatchObject({ kind: "terminated" });
    expect(host.files.list("/up")).toEqual([]);
  });
});

describe("a time to start", () => {
  const waitOptions = { startTimeoutMs: 60_000 };

  test("that is over ends the driver that never started", async () => {
    const { clock, deleted, end, logged } = accompanied(waitOptions);
    expect(await end).toMatchObject({
      kind: "terminated",
      why: { kind: "startTimeout", limitMs: 60_000 },
      driver: "deleted",
      left: [],
    });
    expect(clock.monotonic()).toBe(60_000);
    expect(deleted()[0]).toContain('"preconditions":{"uid":"u","resourceVersion":"1"}');
    expect(logged).toContain("WARN The driver is deleted: it has not started in time.");
  });

  test("that is over is the reason also where the watch tells of the end before the deletion is answered", async () => {
    const { end } = accompanied(waitOptions, { answerTakesMs: 5000 });
    expect(await end).toMatchObject({ kind: "terminated", driver: "deleted" });
  });

  test("that is kept is nothing to the driver any more", async () => {
    const changes = { 59000: running, 200000: pod(7, "Succeeded", { terminated: { exitCode: 0 } }) };
    const { deleted, end } = accompanied(waitOptions, { changes });
    expect((await end).kind).toBe("succeeded");
    expect(deleted()).toEqual([]);
  });

  test("does not end a driver that starts in the very moment of its deletion", async () => {
    const changes = { 700000: pod(7, "Succeeded", { terminated: { exitCode: 0 } }) };
    const { deleted, end } = accompanied(waitOptions, {
      changes,
      meanwhile: running,
      onDelete: () => refused(409, "the object has been modified"),
    });
    expect((await end).kind).toBe("succeeded");
    expect(deleted()).toHaveLength(1);
  });

  test("that is over leaves a driver that may not be deleted, and says so", async () => {
    const { end } = accompanied(waitOptions, { onDelete: () => refused(403, "no right") });
    expect(await end).toMatchObject({
      kind: "terminated",
      driver: "running",
      left: [{ code: "SUBMIT_ERR_KUBE_FORBIDDEN" }],
    });
  });
});

describe("a time to run", () => {
  const waitOptions = { runTimeoutMs: 100_000 };

  test("that is over ends the driver, and waits for its last words", async () => {
    const { clock, end, logged } = accompanied(waitOptions, {
      changes: { 1000: running },
      afterDelete: killed,
    });
    expect(await end).toMatchObject({ kind: "terminated", why: { kind: "runTimeout" }, driver: "deleted" });
    expect(clock.monotonic()).toBeLessThan(105_000);
    expect(logged.at(-1)).toMatch(/finished$/);
  });

  test("does not wait for ever for a driver that does not go", async () => {
    const { clock, end } = accompanied(waitOptions, { changes: { 1000: running }, afterDelete: running });
    expect((await end).kind).toBe("terminated");
    expect(clock.monotonic()).toBeLessThan(200_000);
  });

  test("of forty days is no time of a moment", async () => {
    const changes = { 100000: pod(7, "Succeeded", { terminated: { exitCode: 0 } }) };
    const { clock, end } = accompanied({ runTimeoutMs: 40 * 86_400_000 }, { changes });
    expect((await end).kind).toBe("succeeded");
    expect(clock.monotonic()).toBe(100_000);
  });
});

describe("a driver without hope", () => {
  test("is deleted, and nobody wonders afterwards who deleted it", async () => {
    const unrecoverable = pod(5, "Pending", { waiting: { reason: "InvalidImageName" } });
    const deletionTimestamp = "2026-01-01T00:00:05Z";
    const going: Pod = {
      ...unrecoverable,
      metadata: { ...unrecoverable.metadata, resourceVersion: "6", deletionTimestamp },
    };
    const { deleted, end, logged } = accompanied(
      { failFast: true },
      { changes: { 1000: unrecoverable }, afterDelete: going },
    );
    expect(await end).toMatchObject({
      kind: "terminated",
      why: { kind: "unrecoverable" },
      driver: "deleted",
    });
    expect(deleted()).toHaveLength(1);
    expect(logged.filter((line) => line.startsWith("WARN"))).toEqual([
      expect.stringMatching(/InvalidImageName|not a valid image name/),
      "WARN The driver is deleted: it will not start until something is changed.",
    ]);
  });
});

describe("an interrupt that is to delete the driver", () => {
  test("says when that was refused", async () => {
    const { end, host } = accompanied(
      { killOnInterrupt: true },
      { changes: { 5: running }, onDelete: () => refused(403, "no right") },
    );
    host.clock.after(1000, () => host.raise("SIGINT"));
    expect(await end).toMatchObject({
      kind: "interrupted",
      driver: "running",
      left: [{ code: "SUBMIT_ERR_KUBE_FORBIDDEN" }],
    });
  });
});
