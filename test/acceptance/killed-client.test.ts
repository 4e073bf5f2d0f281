import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call, createNamespace, objectsIn, podsWithout, startApi, unowned } from "./embedded-api.ts";
import { type FaultProxy, openFaultProxy, type RecordedRequest, type RequestOutcome } from "./fault-proxy.ts";
import { type Sort, sorts, withPodGroups } from "./killed-submissions.ts";
import { run, start, temporaryDirectory } from "./programs.ts";

/** Number of clients killed at random moments, over all kinds; `npm run test:slow` sets more. */
const kills = Number(process.env["FIRESTEEL_KILLS"] ?? "12");
/** Limit per kill, which takes about a second; more on a busy machine. */
const killsTimeoutMs = 60_000 + kills * 2000;
/** Half of the clients are killed, the others interrupted. */
const signals = ["SIGKILL", "SIGINT", "SIGKILL", "SIGTERM", "SIGKILL", "SIGHUP"] as const;
/** Ends of a client: complete, killed, or interrupted, with 128 and the number of the signal. */
const exits = [0, 128 + 1, 128 + 2, 128 + 15, "SIGKILL", "SIGINT", "SIGTERM", "SIGHUP"];
/** Number of submissions that share a namespace and a sweep. */
const batch = 25;

const directory = mkdtempSync(join(tmpdir(), "firesteel-api-"));
let cluster: EmbeddedCluster;
let api: ReturnType<typeof withPodGroups>;

beforeAll(async () => {
  cluster = await startApi(directory);
  api = withPodGroups(cluster.transport);
});

afterAll(async () => {
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Namespace and proxy for submissions of one kind. */
interface Scene {
  readonly proxy: FaultProxy;
  readonly namespace: string;
  /** Faults seen so far: pods that mounted a missing object. */
  readonly faults: readonly string[];
  /** Home and temporary directory of the clients. */
  readonly home: string;
  readonly submission: (options?: { number?: number; waits?: boolean }) => ReturnType<typeof start>;
}

let scenes = 0;

/** Checks after each request whether a pod mounts a missing object. */
async function openScene(sort: Sort, decide: (visit: RecordedRequest) => RequestOutcome): Promise<Scene> {
  scenes += 1;
  const namespace = `killed-${scenes}`;
  await createNamespace(cluster, namespace);
  const directory = temporaryDirectory();
  const home = temporaryDirectory();
  // Compiled code in the home directory would count as a remaining file.
  const own = { HOME: home, TMPDIR: join(home, "tmp"), FIRESTEEL_CODE_CACHE: "off" };
  mkdirSync(own.TMPDIR);
  const faults: string[] = [];
  const proxy = await openFaultProxy(async (request) => {
    const reply = await api.transport(request);
    faults.push(...(await podsWithout(cluster, namespace)));
    return reply;
  }, decide);
  return {
    ...{ proxy, namespace, faults, home },
    submission: ({ number = 1, waits = false } = {}) =>
      start("spark-submit", [...args(proxy, namespace, waits), ...sort.args(directory, number), ...application], {
        env: { ...own, ...sort.env?.(directory) },
      }),
  };
}

const application = ["--class", "org.example.Main", "local:///opt/app/app.jar"];

function args(proxy: FaultProxy, namespace: string, waits: boolean): readonly string[] {
  return [
    ...["--master", `k8s://${proxy.url}`, "--deploy-mode", "cluster", "--name", "killed"],
    ...["--conf", `spark.kubernetes.namespace=${namespace}`],
    ...["--conf", "spark.kubernetes.container.image=spark:4.3.0"],
    ...["--conf", `spark.kubernetes.submission.waitAppCompletion=${waits}`],
  ];
}

function sweep({ proxy, namespace }: Scene) {
  const where = ["--master", `k8s://${proxy.url}`, "--namespace", namespace];
  return run("firesteel", ["sweep", ...where, "--older-than", "0s"]);
}

async function left({ namespace }: Scene) {
  const groups = api.groupsIn(namespace).map((group) => ({ ...group, kind: "PodGroup" }));
  return [...(await objectsIn(cluster, namespace)), ...groups];
}

/** Checks after a kill that each submission is complete or swept, and that nothing remains after its driver is deleted. */
async function expectNothingPartial(scene: Scene): Promise<void> {
  expect(await podsWithout(cluster, scene.namespace)).toEqual([]);
  expect(await sweep(scene)).toMatchObject({ exit: 0 });
  const objects = await left(scene);
  expect(unowned(objects)).toEqual([]);
  const hasDriver = objects.some(({ kind }) => kind === "Pod");
  expect(hasDriver || objects.length === 0).toBe(true);
  await deletePods(scene.namespace);
  await expect.poll(() => objectsIn(cluster, scene.namespace)).toEqual([]);
  expect(scene.faults).toEqual([]);
  expect(readdirSync(scene.home, { recursive: true })).toEqual(["tmp"]);
  await scene.proxy.close();
}

/** Returns the applications with several drivers. */
async function duplicateDrivers({ namespace }: Scene): Promise<readonly string[]> {
  const applications = (await objectsIn(cluster, namespace))
    .filter(({ kind }) => kind === "Pod")
    .map(({ metadata }) => metadata.labels?.["spark-app-selector"] ?? "none");
  return applications.filter((application, index) => applications.indexOf(application) !== index);
}

/** Deletes the driver as a cluster does, and collects what it owned. */
async function deletePods(namespace: string): Promise<void> {
  const type = resourceTypes.pod;
  for (const { kind, metadata } of await objectsIn(cluster, namespace)) {
    const path = `${resourcePath(type, namespace, metadata.name)}?gracePeriodSeconds=0`;
    if (kind === "Pod") await call(cluster, "DELETE", path);
  }
}

describe.each(sorts)("a submission $name", (sort) => {
  test("without a fault makes the expected number of mutating calls and leaves no orphan", async () => {
    const scene = await openScene(sort, () => "pass");
    expect(await scene.submission().ended).toMatchObject({ exit: 0 });
    expect(scene.proxy.visits.filter(({ method }) => method !== "GET")).toHaveLength(sort.changes);
    expect(unowned(await left(scene))).toEqual([]);
    await expectNothingPartial(scene);
  });

  const moments = Array.from({ length: sort.changes }, (_, index) => index + 1).flatMap((number) =>
    (["hold-before", "hold-after"] as const).map((moment) => ({ number, moment })),
  );

  test.each(moments)(
    "that is killed at call $number, $moment it is carried out, leaves no partial submission",
    async ({ number, moment }) => {
      let changes = 0;
      const scene = await openScene(sort, ({ method }) => {
        if (method !== "GET") changes += 1;
        return method !== "GET" && changes === number ? moment : "pass";
      });
      const { child, ended } = scene.submission();
      await Promise.race([scene.proxy.held, ended]);
      child.kill("SIGKILL");
      expect((await ended).exit).toBe("SIGKILL");
      await expectNothingPartial(scene);
    },
  );

  test(
    "that is killed or interrupted at random moments leaves no partial submission, second driver or file",
    async () => {
      const { firstVisitMs, endMs } = await paceOf(sort);
      const count = Math.ceil(kills / sorts.length);
      const ends = new Map<string, number>();
      for (let first = 0; first < count; first += batch) {
        const scene = await openScene(sort, () => "pass");
        for (let number = first; number < Math.min(first + batch, count); number += 1) {
          const { child, ended } = scene.submission({ number, waits: number % 2 === 0 });
          // Most kills hit while the client talks to the API.
          await setTimeout(firstVisitMs * 0.8 + Math.random() * (endMs - firstVisitMs * 0.8));
          const signal = signals[number % signals.length];
          child.kill(signal);
          const { exit, stderr } = await ended;
          const end = `${signal} ${exit}`;
          ends.set(end, (ends.get(end) ?? 0) + 1);
          expect({ exit, stderr }).toEqual({
            exit: expect.toBeOneOf(exits),
            stderr: expect.not.stringMatching(/^ +at /m),
          });
          expect(await podsWithout(cluster, scene.namespace)).toEqual([]);
        }
        expect(await duplicateDrivers(scene)).toEqual([]);
        await expectNothingPartial(scene);
      }
      expect([...ends.keys()]).toContain("SIGKILL SIGKILL");
    },
    killsTimeoutMs,
  );
});

/** Times of an undisturbed submission's first request and of its end, in ms after the start. */
async function paceOf(sort: Sort): Promise<{ readonly firstVisitMs: number; readonly endMs: number }> {
  const startMs = performance.now();
  let firstVisitMs: number | undefined;
  const scene = await openScene(sort, () => {
    firstVisitMs ??= performance.now() - startMs;
    return "pass";
  });
  await scene.submission().ended;
  await scene.proxy.close();
  return { firstVisitMs: firstVisitMs ?? 0, endMs: performance.now() - startMs };
}

describe("a client that is killed", () => {
  const [plain, withToken] = sorts;
  if (plain === undefined || withToken === undefined) throw new Error("sorts are missing");

  test("while it waits for the driver leaves the driver and its objects", async () => {
    const scene = await openScene(plain, ({ method }) => (method === "WATCH" ? "hold-before" : "pass"));
    const { child, ended } = scene.submission({ waits: true });
    await Promise.race([scene.proxy.held, ended]);
    child.kill("SIGKILL");
    await ended;
    expect(await podsWithout(cluster, scene.namespace)).toEqual([]);
    expect(unowned(await left(scene))).toEqual([]);
    expect((await sweep(scene)).stdout).toBe(`Nothing to sweep in namespace ${scene.namespace}.\n`);
    await scene.proxy.close();
  });

  test.each(Array.from({ length: withToken.changes }, (_, index) => index + 1))(
    "at call %i, and sent again with its token, makes one complete driver",
    async (number) => {
      let changes = 0;
      const scene = await openScene(withToken, ({ method }) => {
        if (method !== "GET") changes += 1;
        return method !== "GET" && changes === number ? "hold-after" : "pass";
      });
      const { child, ended } = scene.submission();
      await Promise.race([scene.proxy.held, ended]);
      child.kill("SIGKILL");
      await ended;
      expect(await scene.submission().ended).toMatchObject({ exit: 0 });
      const objects = await left(scene);
      expect(objects.filter(({ kind }) => kind === "Pod")).toHaveLength(1);
      // Only objects that the first attempt alone needed may be without an owner.
      expect(unowned(objects).filter((name) => !name.startsWith("ConfigMap/"))).toEqual([]);
      await expectNothingPartial(scene);
    },
  );
});
