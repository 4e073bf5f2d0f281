import { expect, test } from "vitest";
import { issue } from "../../errors/issue.ts";
import { submitError } from "../../errors/submit-error.ts";
import type { SubmitResult } from "../model/applications.ts";
import type { NewSchedule } from "../model/schedules.ts";
import { etl, everyMinute, minuteMs, startMs, testSchedules } from "./test-schedules.ts";

const alice = { user: "alice" } as const;
const noCluster = () => new Error("no cluster");
const down: SubmitResult = { kind: "unavailable", reason: "no cluster", retryAfterSeconds: 5 };
const forbidden = issue("SUBMIT_ERR_GATEWAY_SETTING", { key: "spark.x", reason: "it is not permitted" });

async function setUp(schedule: NewSchedule = everyMinute) {
  const all = testSchedules();
  const schedules = await all.open();
  expect(await schedules.create(schedule)).toMatchObject({ kind: "created" });
  return { ...all, schedules };
}

function withPolicy(concurrencyPolicy: string): NewSchedule {
  return { ...everyMinute, rules: { ...everyMinute.rules, concurrencyPolicy } };
}

test("a run that cannot be submitted is submitted again, later each time, and is the one of its time", async () => {
  const { host, schedules, minutes, failures, logged } = await setUp();
  failures.submit.push(down, down, down);
  await host.advance(minuteMs);
  expect(minutes()).toEqual([]);
  expect(schedules.get(etl)).toMatchObject({
    nextRunMs: startMs + minuteMs,
    problem: "The run cannot be started now: no cluster",
  });
  const repeated = () => logged.filter((text) => text.includes("is repeated")).length;
  const attempts = [repeated()];
  for (const ms of [1000, 2000, 2000]) {
    await host.advance(ms);
    attempts.push(repeated());
  }
  expect(attempts).toEqual([1, 2, 3, 3]);
  await host.advance(2000);
  expect(minutes()).toEqual([1]);
  expect(schedules.get(etl)).toMatchObject({ nextRunMs: startMs + 2 * minuteMs, problem: undefined });
});

test("a run whose schedule cannot be stored is not started again, and the schedule says what failed", async () => {
  const { host, schedules, minutes, failures, logged } = await setUp();
  failures.update.push(noCluster(), noCluster());
  await host.advance(minuteMs);
  expect(schedules.get(etl)?.problem).toBe("The schedule cannot be stored: no cluster");
  expect(logged.join(" ")).not.toContain("cannot be started");
  await host.advance(20_000);
  expect(minutes()).toEqual([1]);
  expect(schedules.get(etl)).toMatchObject({
    ...{ nextRunMs: startMs + 2 * minuteMs, problem: undefined },
    record: { lastRun: { key: "api-0", scheduledMs: startMs + minuteMs } },
  });
  await host.advance(40_000);
  expect(minutes()).toEqual([1, 2]);
});

test("a run that is rejected is left out, with its reason until the next run starts", async () => {
  const { host, schedules, minutes, failures } = await setUp();
  failures.submit.push({ kind: "rejected", issues: [forbidden] });
  await host.advance(minuteMs);
  expect(schedules.get(etl)?.problem).toContain("it is not permitted");
  await host.advance(minuteMs);
  expect(minutes()).toEqual([2]);
  expect(schedules.get(etl)?.problem).toBeUndefined();
});

test("a schedule that the API rejects is rejected with the reason, and one that it cannot store now is not", async () => {
  const { open, failures } = testSchedules();
  const schedules = await open();
  const tooLarge = submitError("SUBMIT_ERR_KUBE_INVALID", {
    ...{ method: "POST", url: "https://api/secrets", server: "https://api", message: "too long" },
  });
  failures.create.push(tooLarge, noCluster());
  expect(await schedules.create(everyMinute)).toEqual({ kind: "rejected", issues: tooLarge.issues });
  expect(await schedules.create(everyMinute)).toMatchObject({ kind: "unavailable", reason: "no cluster" });
  expect((await schedules.create(everyMinute)).kind).toBe("created");
});

test("a time that is skipped is left out, also after a restart or a suspension", async () => {
  for (const interrupt of ["nothing", "restart", "suspension"]) {
    const { host, open, schedules, minutes, setState } = await setUp(withPolicy("Forbid"));
    await host.advance(2.5 * minuteMs);
    expect(minutes()).toEqual([1]);
    setState("succeeded");
    if (interrupt === "restart") {
      await schedules.close();
      await open();
    }
    if (interrupt === "suspension")
      for (const isSuspended of [true, false]) await schedules.setSuspended(etl, isSuspended, alice);
    await host.advance(0);
    expect([interrupt, ...minutes()]).toEqual([interrupt, 1]);
    await host.advance(minuteMs);
    expect([interrupt, ...minutes()]).toEqual([interrupt, 1, 3]);
  }
});

test("Replace does not kill the last run for one that is rejected", async () => {
  const { host, schedules, minutes, failures, killed } = await setUp(withPolicy("Replace"));
  await host.advance(minuteMs);
  failures.check.push([forbidden]);
  await host.advance(minuteMs);
  expect([minutes(), killed]).toEqual([[1], []]);
  expect(schedules.get(etl)?.problem).toContain("it is not permitted");
  await host.advance(minuteMs);
  expect([minutes(), killed]).toEqual([[1, 3], ["api-0"]]);
});

test("an ended run that cannot be removed does not delay the schedule, and is removed with the next run", async () => {
  const { host, schedules, minutes, failures, setState } = await setUp();
  for (const _ of [1, 2]) {
    await host.advance(minuteMs);
    setState("succeeded");
  }
  failures.removeRun.push(noCluster());
  await host.advance(minuteMs);
  expect(minutes()).toEqual([1, 2, 3]);
  expect(schedules.get(etl)).toMatchObject({ nextRunMs: startMs + 4 * minuteMs, problem: undefined });
  await host.advance(minuteMs);
  expect(minutes()).toEqual([2, 3, 4]);
});

test("a suspension that cannot be stored fails, and the schedule continues", async () => {
  const { host, schedules, minutes, failures } = await setUp();
  failures.update.push(noCluster());
  await expect(schedules.setSuspended(etl, true, alice)).rejects.toThrow("no cluster");
  await host.advance(minuteMs);
  expect(minutes()).toEqual([1]);
});

test("a schedule that is created suspended gets its first time when it is resumed", async () => {
  const daily = { ...everyMinute, isSuspended: true, rules: { schedule: "0 0 * * *", timeZone: "Asia/Tokyo" } };
  const { host, schedules, minutes } = await setUp(daily);
  expect(schedules.get(etl)?.nextRunMs).toBeUndefined();
  await host.advance(24 * 60 * minuteMs);
  await schedules.setSuspended(etl, false, alice);
  expect(schedules.get(etl)?.nextRunMs).toBe(Date.UTC(2026, 0, 2, 15));
  expect(minutes()).toEqual([]);
});

test("runs continue after a clock that was wrong for a while, each time once", async () => {
  const all = testSchedules();
  let offsetMs = 0;
  const { clock } = all.host;
  const jumping = { ...clock, now: () => clock.now() + offsetMs };
  const schedules = await all.open({}, { clock: jumping, random: all.host.random });
  await schedules.create(everyMinute);
  offsetMs = 365 * 24 * 60 * minuteMs;
  await clock.advance(minuteMs / 2);
  await clock.advance(minuteMs / 2);
  expect(all.minutes()).toEqual([1]);
  expect(schedules.get(etl)?.nextRunMs).toBeGreaterThan(startMs + offsetMs);
  offsetMs = -minuteMs / 2;
  await clock.advance(minuteMs);
  expect(all.minutes()).toEqual([1]);
  await clock.advance(minuteMs);
  expect(all.minutes()).toEqual([1, 2]);
});

test("the groups of the owner are those of its last request, and other users do not change them", async () => {
  const { schedules, stored, host, submitted } = await setUp({ ...everyMinute, ownerGroups: ["old"] });
  const groups = () => [...stored.values()][0]?.ownerGroups;
  await schedules.setSuspended(etl, true, { user: "bob", groups: ["bobs"] });
  expect(groups()).toEqual(["old"]);
  await schedules.setSuspended(etl, true, { user: "alice", groups: ["suspended"] });
  expect(groups()).toEqual(["suspended"]);
  await schedules.setSuspended(etl, false, { user: "alice", groups: ["resumed"] });
  expect(groups()).toEqual(["resumed"]);
  expect((await schedules.create({ ...everyMinute, ownerGroups: ["repeated"] })).kind).toBe("repeated");
  expect(groups()).toEqual(["repeated"]);
  await host.advance(minuteMs);
  expect(submitted).toHaveLength(1);
});

test("each run begins a trace, whose first span says whether it started", async () => {
  const { host, failures, spans, parents } = await setUp();
  failures.submit.push(down, { kind: "rejected", issues: [forbidden] });
  await host.advance(2 * minuteMs);
  const attributes = { "firesteel.schedule.name": "etl", "k8s.namespace.name": "jobs" };
  expect(spans).toEqual(
    ["Unavailable", "Rejected", undefined].map((failure) => ({ name: "start scheduled run", attributes, failure })),
  );
  expect(parents).toEqual(["span 2"]);
});

test("a schedule whose times are unknown to this process says so, and starts no run when it is resumed", async () => {
  const { schedules, stored, open, host, minutes } = await setUp();
  await schedules.close();
  for (const [key, record] of stored) {
    const rules = { ...record.rules, timeZone: "Europe/Removed" };
    stored.set(key, { ...record, rules, isSuspended: true });
  }
  const again = await open();
  await again.setSuspended(etl, false, alice);
  await host.advance(5 * minuteMs);
  expect(minutes()).toEqual([]);
  expect(again.get(etl)).toMatchObject({ nextRunMs: undefined });
  expect(again.get(etl)?.problem).toMatch(/starts no runs.*unknown time zone "Europe\/Removed".*Delete the schedule/);
});

test("no run starts after the end of the gateway", async () => {
  const { host, schedules, minutes } = await setUp();
  await schedules.close();
  await host.advance(10 * minuteMs);
  expect(minutes()).toEqual([]);
});
