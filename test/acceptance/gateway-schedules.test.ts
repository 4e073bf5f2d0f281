import { describe, expect, test } from "vitest";
import type { OpenApplications } from "../../src/gateway/applications/open-applications.ts";
import type { NewSchedule } from "../../src/gateway/model/schedules.ts";
import { secretStores } from "../../src/gateway/records/secret-stores.ts";
import { type OpenSchedules, openSchedules, type SchedulesCall } from "../../src/gateway/schedules/open-schedules.ts";
import { noTracing } from "../../src/gateway/tracing/tracing.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { type TestClock, testClock } from "../../src/host/test-clock.ts";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { KubeResource } from "../../src/kube/types.ts";
import { kubeClient } from "../../src/kube-client/client.ts";
import { socketError } from "../../src/kube-client/test-api.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call } from "./embedded-api.ts";
import {
  driversIn,
  endedStatus,
  eventually,
  killedAfter,
  openGatewayApplications,
  setStatus,
  withCluster,
} from "./gateway-cluster.ts";
import { type GatewayProcess, pendingDrivers, startGateway, startGatewayOn } from "./gateway-process.ts";

const startMs = Date.UTC(2026, 0, 1, 12);
const minuteMs = 60_000;
const nightly = { namespace: "default", name: "nightly" } as const;

function everyMinute(rules: Partial<NewSchedule["rules"]> = {}): NewSchedule {
  return {
    ...nightly,
    ...{ owner: "alice", isSuspended: false },
    rules: { schedule: "* * * * *", concurrencyPolicy: "Allow", ...rules },
    application: { name: "nightly", app: "local:///opt/app.jar", class: "Main" },
  };
}

interface OpenGateway {
  readonly applications: OpenApplications;
  readonly schedules: OpenSchedules;
  readonly close: () => Promise<void>;
}

/** Opens the applications and the schedules of a gateway, as `firesteel gateway` does. Only the schedules use the clock. */
async function openGateway(
  cluster: EmbeddedCluster,
  clock: TestClock,
  transport: Transport = cluster.transport,
  log: SchedulesCall["log"] = () => {},
): Promise<OpenGateway> {
  const applications = await openGatewayApplications(cluster, transport);
  const { clock: machine, random } = nodeHost();
  const options = { transport, server: cluster.url, clock: machine, log: () => {}, requestTimeoutMs: 10_000 };
  const { schedules: store } = secretStores({
    ...{ client: kubeClient(options), host: { clock: machine, random } },
    ...{ namespace: "default", gateway: "gateway", onUnreadable: () => {} },
  });
  const schedules = await openSchedules({
    ...{ host: { clock, random }, log, store, applications, check: applications.check, tracing: noTracing },
  });
  return {
    ...{ applications, schedules },
    async close() {
      await schedules.close();
      await applications.close();
    },
  };
}

/** Minutes after the start at which runs were due, in the order of their submission. */
function minutesOf({ applications }: OpenGateway): readonly number[] {
  return [...applications.list()].map(({ record }) => ((record.schedule?.scheduledMs ?? 0) - startMs) / minuteMs);
}

async function runAt(gateway: OpenGateway, clock: TestClock, count: number): Promise<void> {
  await clock.advance(minuteMs);
  await eventually(() => (minutesOf(gateway).length === count ? true : undefined));
}

/** Ends the driver of the latest run. */
async function endRun(cluster: EmbeddedCluster, { applications }: OpenGateway, exitCode: number): Promise<void> {
  const latest = [...applications.list()].at(-1)?.record;
  const podName = latest?.podName ?? "";
  await eventually(async () => (await driversIn(cluster)).find(({ metadata }) => metadata?.name === podName));
  await setStatus(cluster, podName, endedStatus(exitCode));
  await eventually(() => applications.get(latest?.key ?? "")?.record.end);
}

/** Waits until a schedule has nothing more to do at the present time. */
async function settled({ schedules }: OpenGateway, clock: TestClock): Promise<void> {
  await eventually(() => ((schedules.get(nightly)?.nextRunMs ?? 0) > clock.now() ? true : undefined));
}

/** Creates a schedule as soon as an earlier one with its name is removed completely. */
async function createWhenRemoved({ schedules }: OpenGateway, schedule: NewSchedule): Promise<void> {
  await eventually(async () => ((await schedules.create(schedule)).kind === "created" ? true : undefined));
}

describe("a schedule", () => {
  test("starts a run at each time, and names it by this time", async () => {
    await withCluster(async (cluster) => {
      const clock = testClock(startMs);
      const gateway = await openGateway(cluster, clock);
      expect((await gateway.schedules.create(everyMinute())).kind).toBe("created");
      await gateway.applications.synced;
      await runAt(gateway, clock, 1);
      await settled(gateway, clock);
      await runAt(gateway, clock, 2);
      expect(minutesOf(gateway)).toEqual([1, 2]);
      const [first] = gateway.applications.list();
      expect(first?.record).toMatchObject({ name: `nightly-${startMs + minuteMs}000000`, owner: "alice" });
      const pods = await eventually(async () => {
        const drivers = await driversIn(cluster);
        return drivers.length === 2 ? drivers : undefined;
      });
      expect(pods.map(({ metadata }) => metadata?.labels)).toEqual(
        Array(2).fill(expect.objectContaining({ "sparkoperator.k8s.io/scheduled-app-name": "nightly" })),
      );
      await gateway.close();
    });
  });

  test("starts one run for all times that it missed while no gateway ran", async () => {
    await withCluster(async (cluster) => {
      const first = await openGateway(cluster, testClock(startMs));
      await first.schedules.create(everyMinute());
      await first.close();
      const clock = testClock(startMs + 10.5 * minuteMs);
      const second = await openGateway(cluster, clock);
      await second.applications.synced;
      await clock.advance(0);
      await eventually(() => (minutesOf(second).length === 1 ? true : undefined));
      await settled(second, clock);
      expect(second.schedules.get(nightly)).toMatchObject({ nextRunMs: startMs + 11 * minuteMs });
      expect(minutesOf(second)).toEqual([1]);
      await second.close();
    });
  });

  test("with Forbid leaves out a time at which the last run has not ended, and with Replace kills that run", async () => {
    for (const [concurrencyPolicy, minutes] of [
      ["Forbid", [1, 3]],
      ["Replace", [1, 2, 3]],
    ] as const)
      await withCluster(async (cluster) => {
        const clock = testClock(startMs);
        const gateway = await openGateway(cluster, clock);
        await gateway.schedules.create(everyMinute({ concurrencyPolicy }));
        await gateway.applications.synced;
        await runAt(gateway, clock, 1);
        await settled(gateway, clock);
        await clock.advance(minuteMs);
        await settled(gateway, clock);
        if (concurrencyPolicy === "Forbid") {
          expect(minutesOf(gateway)).toEqual([1]);
          await endRun(cluster, gateway, 0);
        }
        await clock.advance(minuteMs);
        await settled(gateway, clock);
        expect(minutesOf(gateway)).toEqual(minutes);
        if (concurrencyPolicy === "Replace") {
          const [first] = gateway.applications.list();
          expect(first?.record.killed?.by).toBe("schedule nightly");
        }
        await gateway.close();
      });
  });

  test("keeps as many ended runs as its limits permit, and deletes the drivers of the others", async () => {
    await withCluster(async (cluster) => {
      const clock = testClock(startMs);
      const gateway = await openGateway(cluster, clock);
      await gateway.schedules.create(everyMinute({ successfulRunHistoryLimit: 1, failedRunHistoryLimit: 0 }));
      await gateway.applications.synced;
      for (const exitCode of [0, 0, 1]) {
        await clock.advance(minuteMs);
        await settled(gateway, clock);
        await endRun(cluster, gateway, exitCode);
      }
      await clock.advance(minuteMs);
      await settled(gateway, clock);
      expect(minutesOf(gateway)).toEqual([2, 4]);
      await eventually(async () => ((await driversIn(cluster)).length === 2 ? true : undefined));
      await gateway.close();
    });
  });

  test("that is suspended starts no run, and starts the one that was due when it is resumed", async () => {
    await withCluster(async (cluster) => {
      const clock = testClock(startMs);
      const gateway = await openGateway(cluster, clock);
      await gateway.schedules.create(everyMinute());
      await gateway.applications.synced;
      await gateway.schedules.setSuspended(nightly, true, { user: "alice" });
      await clock.advance(5 * minuteMs);
      expect(gateway.schedules.get(nightly)).toMatchObject({ nextRunMs: undefined, record: { isSuspended: true } });
      expect(minutesOf(gateway)).toEqual([]);
      await gateway.schedules.setSuspended(nightly, false, { user: "alice" });
      await clock.advance(0);
      await settled(gateway, clock);
      expect(minutesOf(gateway)).toEqual([1]);
      expect(gateway.schedules.get(nightly)).toMatchObject({ nextRunMs: startMs + 6 * minuteMs });
      await gateway.close();
    });
  });

  test("that is removed takes its applications with it, and another one can have its name", async () => {
    await withCluster(async (cluster) => {
      const clock = testClock(startMs);
      const gateway = await openGateway(cluster, clock);
      await gateway.schedules.create(everyMinute());
      await gateway.applications.synced;
      await runAt(gateway, clock, 1);
      await gateway.schedules.remove(nightly, "alice");
      expect(gateway.schedules.list()).toEqual([]);
      await eventually(() => (minutesOf(gateway).length === 0 ? true : undefined));
      await eventually(async () => ((await driversIn(cluster)).length === 0 ? true : undefined));
      await createWhenRemoved(gateway, everyMinute({ schedule: "@daily" }));
      await gateway.close();
    });
  });

  test("is created once for the same request, and conflicts with another one of its name", async () => {
    await withCluster(async (cluster) => {
      const gateway = await openGateway(cluster, testClock(startMs));
      const results = await Promise.all([1, 2, 3].map(() => gateway.schedules.create(everyMinute())));
      expect(results.map(({ kind }) => kind).sort()).toEqual(["created", "repeated", "repeated"]);
      expect((await gateway.schedules.create(everyMinute({ timeZone: "Asia/Tokyo" }))).kind).toBe("conflict");
      await gateway.close();
    });
  });

  test("is rejected with every problem of its times, its name and the settings of its runs", async () => {
    await withCluster(async (cluster) => {
      const gateway = await openGateway(cluster, testClock(startMs));
      const { application, ...schedule } = everyMinute({ schedule: "* * * *" });
      const conf = { "spark.executor.memory": "2x", "spark.executor.instances": "-1" };
      const result = await gateway.schedules.create({ ...schedule, application: { ...application, conf } });
      const messages = result.kind === "rejected" ? result.issues.map(({ message }) => message) : [];
      expect(messages).toEqual([
        expect.stringContaining("expected exactly 5 fields"),
        "Executor memory must be a positive number",
        "Number of executors must be a positive number",
      ]);
      expect(gateway.schedules.list()).toEqual([]);
      await gateway.close();
    });
  });
});

/**
 * Calls `act` with a gateway that is killed after its first request, then with one that is killed after its second, and so on until one is
 * not killed. Calls `check` after each.
 */
async function killAtEachRequest(
  cluster: EmbeddedCluster,
  startedMs: number,
  act: (gateway: OpenGateway, clock: TestClock) => Promise<void>,
  { before, check }: { readonly before: () => Promise<void>; readonly check: (requests: number) => Promise<void> },
): Promise<void> {
  for (let requests = 0, isKilled = true; isKilled; requests += 1) {
    await before();
    const { transport, isDead } = killedAfter(cluster.transport, requests);
    const clock = testClock(startedMs);
    const run = async () => {
      const gateway = await openGateway(cluster, clock, transport);
      await act(gateway, clock);
      await gateway.close();
      return false;
    };
    isKilled = await Promise.race([run(), eventually(() => (isDead() ? true : undefined))]);
    await check(requests);
  }
}

test("a gateway that is killed after any request starts each run of a schedule once", async () => {
  for (const concurrencyPolicy of ["Allow", "Forbid", "Replace"])
    await withCluster(async (cluster) => {
      const startRun = async (gateway: OpenGateway, clock: TestClock) => {
        await gateway.applications.synced;
        await clock.advance(0);
        await settled(gateway, clock);
      };
      await killAtEachRequest(cluster, startMs + 2 * minuteMs, startRun, {
        async before() {
          const clock = testClock(startMs);
          const gateway = await openGateway(cluster, clock);
          await createWhenRemoved(gateway, everyMinute({ concurrencyPolicy }));
          await gateway.applications.synced;
          await runAt(gateway, clock, 1);
          await settled(gateway, clock);
          if (concurrencyPolicy === "Forbid") await endRun(cluster, gateway, 0);
          await gateway.close();
        },
        async check(requests) {
          const clock = testClock(startMs + 2.5 * minuteMs);
          const gateway = await openGateway(cluster, clock);
          await startRun(gateway, clock);
          expect([requests, minutesOf(gateway)]).toEqual([requests, [1, 2]]);
          const lastRun = [...gateway.applications.list()].at(-1)?.record.key;
          expect(gateway.schedules.get(nightly)).toMatchObject({
            record: { nextRunMs: startMs + 3 * minuteMs, lastRun: { key: lastRun } },
          });
          await gateway.schedules.remove(nightly, undefined);
          await eventually(async () => ((await driversIn(cluster)).length === 0 ? true : undefined));
          await gateway.close();
        },
      });
    });
});

test("a gateway that gets no response to a request about its records starts each run of a schedule once", async () => {
  for (let index = 0, isLost = true; isLost; index += 1)
    await withCluster(async (cluster) => {
      const clock = testClock(startMs);
      let [isCounting, requests, failures, repeated] = [false, 0, 0, 0];
      const loseResponse: Transport = async (request) => {
        const response = await cluster.transport(request);
        if (!isCounting || !request.path.includes("/secrets")) return response;
        requests += 1;
        if (requests === index + 1) throw socketError("ECONNRESET");
        return response;
      };
      const gateway = await openGateway(cluster, clock, loseResponse, (level) => {
        if (level === "WARN") failures += 1;
      });
      await gateway.schedules.create(everyMinute());
      await gateway.applications.synced;
      isCounting = true;
      // The schedule continues after a delay.
      for (const minute of [1, 2]) {
        await clock.advance(startMs + minute * minuteMs - clock.now());
        await eventually(async () => {
          if (gateway.schedules.get(nightly)?.nextRunMs === startMs + (minute + 1) * minuteMs) return true;
          if (failures > repeated) {
            repeated = failures;
            await clock.advance(2000);
          }
          return undefined;
        });
        await eventually(async () => ((await driversIn(cluster)).length === minute ? true : undefined));
      }
      expect([index, minutesOf(gateway)]).toEqual([index, [1, 2]]);
      isLost = requests > index;
      await gateway.close();
    });
});

test("a removal of a schedule that is killed after any request is completed at the next start", async () => {
  await withCluster(async (cluster) => {
    let isAcknowledged = false;
    const remove = async (gateway: OpenGateway) => {
      await gateway.schedules.remove(nightly, "alice");
      isAcknowledged = true;
      await eventually(async () => ((await driversIn(cluster)).length === 0 ? true : undefined));
    };
    await killAtEachRequest(cluster, startMs, remove, {
      async before() {
        const clock = testClock(startMs);
        const gateway = await openGateway(cluster, clock);
        await createWhenRemoved(gateway, everyMinute());
        await gateway.applications.synced;
        await runAt(gateway, clock, 1);
        await settled(gateway, clock);
        await eventually(async () => ((await driversIn(cluster)).length === 1 ? true : undefined));
        isAcknowledged = false;
        await gateway.close();
      },
      async check(requests) {
        const gateway = await openGateway(cluster, testClock(startMs));
        const isKept = gateway.schedules.get(nightly) !== undefined;
        expect([requests, isAcknowledged && isKept]).toEqual([requests, false]);
        if (isKept) await gateway.schedules.remove(nightly, "alice");
        await eventually(async () => ((await driversIn(cluster)).length === 0 ? true : undefined));
        await gateway.close();
      },
    });
  });
});

test("firesteel gateway serves schedules, starts their runs, and removes them", async () => {
  const gateway = await startGateway(...pendingDrivers);
  const application = { name: "tick", app: "local:///opt/app.jar", class: "Main" };
  const created = await gateway.send("POST", "/api/v1/schedules", { body: { schedule: "@every 1s", application } });
  expect(created).toMatchObject({
    status: 201,
    json: { namespace: "default", name: "tick", schedule: "@every 1s", concurrencyPolicy: "Allow", suspend: false },
  });
  const path = "/api/v1/schedules/default/tick";
  const runsOf = async () => {
    const { runs } = (await gateway.send("GET", path)).json;
    return Array.isArray(runs) ? runs : [];
  };
  await eventually(async () => ((await runsOf()).length >= 2 ? true : undefined));
  expect(await gateway.send("POST", `${path}/suspend`)).toMatchObject({ status: 200, json: { suspend: true } });
  const runs = await runsOf();
  expect(new Set(runs.map(({ scheduledAt }) => scheduledAt)).size).toBe(runs.length);
  const listed = await gateway.send("GET", "/api/v1/applications?order=oldest");
  expect(listed.json).toMatchObject({ total: runs.length, applications: [{ schedule: "tick" }, { schedule: "tick" }] });
  const audited = { action: "submit", protocol: "api", schedule: "tick", result: "accepted" };
  expect(auditOf(gateway)).toContainEqual(expect.objectContaining(audited));
  expect((await gateway.send("DELETE", path)).status).toBe(204);
  expect((await gateway.send("GET", path)).status).toBe(404);
  await eventually(async () =>
    (await gateway.send("GET", "/api/v1/applications")).json["total"] === 0 ? true : undefined,
  );
  expect(await gateway.stop()).toBe(0);
});

/** Entries of the audit log. */
function auditOf({ output }: GatewayProcess): readonly unknown[] {
  const lines = output().split("\n");
  return lines.flatMap((line): unknown[] => (line.includes('"audit"') ? [JSON.parse(line)] : []));
}

const scheduled = `
apiVersion: sparkoperator.k8s.io/v1beta2
kind: ScheduledSparkApplication
metadata: {name: hourly}
spec:
  schedule: "@every 1s"
  concurrencyPolicy: Replace
  template:
    type: Python
    sparkVersion: 4.0.1
    mainApplicationFile: local:///etl.py
    driver: {labels: {team: data}}
    executor: {instances: 1}
`;

test("a ScheduledSparkApplication continues after kill -9, and each of its runs replaces the one before", async () => {
  await withCluster(async (cluster) => {
    const first = await startGatewayOn(cluster, {});
    const headers = { "content-type": "application/yaml" };
    const post = (gateway: GatewayProcess, body: string) =>
      gateway.send("POST", "/api/v1/schedules", { body, headers });
    const created = await post(first, scheduled);
    expect([created.status, created.headers.get("location")]).toEqual([201, "/api/v1/schedules/default/hourly"]);
    expect((await post(first, scheduled)).status).toBe(200);
    expect((await post(first, scheduled.replace("1s", "2s"))).status).toBe(409);
    const isRunning = async (gateway: GatewayProcess, before: unknown) => {
      const { lastRun } = (await gateway.send("GET", "/api/v1/schedules/default/hourly")).json;
      return JSON.stringify(lastRun) === JSON.stringify(before) ? undefined : lastRun;
    };
    const run = await eventually(() => isRunning(first, undefined));
    await first.kill();
    const second = await startGatewayOn(cluster, {});
    await eventually(() => isRunning(second, run));
    await second.send("POST", "/api/v1/schedules/default/hourly/suspend");
    // Each run has killed the one before.
    const left = await eventually(async () => {
      const drivers = await driversIn(cluster);
      return drivers.length === 1 ? drivers[0] : undefined;
    });
    expect(left.metadata?.labels).toMatchObject({ team: "data", "sparkoperator.k8s.io/scheduled-app-name": "hourly" });
    expect((await second.send("DELETE", "/api/v1/schedules/default/hourly")).status).toBe(204);
    await eventually(async () => ((await driversIn(cluster)).length === 0 ? true : undefined));
    await second.stop();
  });
});

test("invalid requests about schedules get the problem, and change nothing", async () => {
  const gateway = await startGateway();
  const path = "/api/v1/schedules";
  const application = { name: "etl", app: "local:///etl.py" };
  const post = (body: unknown, query = "") => gateway.send("POST", `${path}${query}`, { body });
  const detailsOf = ({ json }: Awaited<ReturnType<typeof post>>) =>
    (Array.isArray(json["issues"]) ? json["issues"] : []).map(({ message }) => message);
  const invalid = await post({ schedule: "* * *", timeZone: 1, application: { name: "etl" } }, "?priority=x");
  expect([invalid.status, detailsOf(invalid).length]).toEqual([400, 3]);
  const times = await post({ schedule: "0 7 * * 7", timeZone: "Mars", application });
  expect([times.status, ...detailsOf(times)]).toEqual([400, expect.stringContaining('unknown time zone "Mars"')]);
  const long = await post({ schedule: "@daily", application: { ...application, name: "a".repeat(44) } });
  expect(detailsOf(long)).toEqual([expect.stringContaining("has 44 characters")]);
  const named = await post({ schedule: "@daily", application: { ...application, namespace: "other" } });
  expect([named.status, ...detailsOf(named)]).toEqual([400, expect.stringContaining("does not serve namespace other")]);
  const headers = { "content-type": "text/plain" };
  expect((await gateway.send("POST", path, { body: "x", headers })).status).toBe(415);
  expect((await gateway.send("GET", `${path}/default/etl`)).status).toBe(404);
  expect((await gateway.send("POST", `${path}/default/etl/suspend`)).status).toBe(404);
  expect((await gateway.send("PUT", path)).status).toBe(405);
  expect((await gateway.send("GET", path)).json).toEqual({ total: 0, schedules: [] });
});

test("a fixed name of the driver is rejected, because each run needs a driver of its own", async () => {
  const gateway = await startGateway();
  const key = "spark.kubernetes.driver.pod.name";
  const messageOf = async (body: unknown, headers = {}) => {
    const { status, json } = await gateway.send("POST", "/api/v1/schedules", { body, headers });
    return [status, JSON.stringify(json["issues"])];
  };
  const application = { name: "etl", app: "local:///etl.py", conf: { [key]: "etl-driver" } };
  const reason = "is set, but each run needs a driver pod of its own";
  expect(await messageOf({ schedule: "@daily", application })).toEqual([
    ...[400, expect.stringContaining(`application.conf, ${key} ${reason}`)],
  ]);
  const yaml = { "content-type": "application/yaml" };
  const inField = scheduled.replace("driver: {", "driver: {podName: etl-driver, ");
  expect(await messageOf(inField, yaml)).toEqual([
    ...[400, expect.stringContaining(`spec.template.driver.podName ${reason}`)],
  ]);
  const inConf = scheduled.replace("    driver:", `    sparkConf: {${key}: etl-driver}\n    driver:`);
  expect(await messageOf(inConf, yaml)).toEqual([
    ...[400, expect.stringContaining(`spec.template.sparkConf, ${key} ${reason}`)],
  ]);
});

test("schedules are listed in pages, and by their namespace", async () => {
  const gateway = await startGateway();
  const path = "/api/v1/schedules";
  for (const name of ["c", "a", "b"]) {
    const body = { schedule: "@yearly", suspend: true, application: { name, app: "local:///etl.py" } };
    expect((await gateway.send("POST", path, { body })).status).toBe(201);
  }
  const list = async (query: string) => (await gateway.send("GET", `${path}${query}`)).json;
  const named = (...names: readonly string[]) => names.map((name) => expect.objectContaining({ name }));
  const first = await list("?limit=2");
  expect(first).toEqual({ total: 3, next: "default/b", schedules: named("a", "b") });
  expect(await list("?limit=2&after=default/b")).toEqual({ total: 3, schedules: named("c") });
  expect(await list("?namespace=default,other")).toMatchObject({ total: 3 });
  expect(await list("?namespace=other")).toEqual({ total: 0, schedules: [] });
  expect(await list("?limit=0&state=x")).toMatchObject({ status: 400, issues: [{}, {}] });
  expect((await gateway.send("DELETE", `${path}/default/b`)).status).toBe(204);
  expect(await list("?limit=2&after=default/b")).toEqual({ total: 2, schedules: named("c") });
});

test("a schedule whose record cannot be read is removed by its name, and can be created again", async () => {
  await withCluster(async (cluster) => {
    const first = await startGatewayOn(cluster, {});
    const body = { schedule: "@daily", application: { name: "etl", app: "local:///etl.py" } };
    await first.send("POST", "/api/v1/schedules", { body });
    await first.stop();
    const secrets = resourcePath(resourceTypes.secret, "default");
    const selector = "?labelSelector=firesteel.dev%2Fgateway-schedule";
    const { items } = await call<{ readonly items: readonly KubeResource[] }>(cluster, "GET", `${secrets}${selector}`);
    const data = { "schedule.json": Buffer.from("{").toString("base64") };
    await call(cluster, "PATCH", `${secrets}/${items[0]?.metadata.name}`, { data });
    const second = await startGatewayOn(cluster, {});
    const conflict = await second.send("POST", "/api/v1/schedules", { body });
    expect([conflict.status, conflict.json["detail"]]).toEqual([409, expect.stringContaining("cannot be read")]);
    expect((await second.send("DELETE", "/api/v1/schedules/default/etl")).status).toBe(204);
    expect((await second.send("DELETE", "/api/v1/schedules/default/etl")).status).toBe(404);
    expect((await second.send("POST", "/api/v1/schedules", { body })).status).toBe(201);
    await second.stop();
  });
});

test("the description of the API names the statuses of changes of schedules", async () => {
  const gateway = await startGateway();
  const { json } = await gateway.send("GET", "/api/v1/openapi.json");
  const one = "/api/v1/schedules/{namespace}/{name}";
  const statuses = { responses: { 403: {}, 503: {} } };
  expect(json).toMatchObject({
    paths: {
      "/api/v1/schedules": { post: statuses },
      [one]: { delete: statuses },
      [`${one}/suspend`]: { post: statuses },
      [`${one}/resume`]: { post: statuses },
    },
  });
});
