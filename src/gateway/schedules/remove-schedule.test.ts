import { expect, test } from "vitest";
import { etl, everyMinute, minuteMs, testSchedules } from "./test-schedules.ts";

const daily = { ...everyMinute, rules: { schedule: "@daily" } };

async function setUp() {
  const all = testSchedules();
  const schedules = await all.open();
  await schedules.create(everyMinute);
  await all.host.advance(minuteMs);
  expect(all.minutes()).toEqual([1]);
  return { ...all, schedules };
}

test("a removal takes the runs with it, and is repeated after a failure", async () => {
  const { schedules, host, stored, submitted, failures } = await setUp();
  failures.removeRun.push(new Error("no cluster"));
  failures.removeRecord.push(new Error("no cluster"));
  expect(await schedules.remove(etl, "alice")).toBe(true);
  expect(schedules.get(etl)).toBeUndefined();
  expect(await schedules.create(daily)).toMatchObject({ kind: "unavailable" });
  await host.advance(10_000);
  expect([submitted.length, stored.size]).toEqual([0, 0]);
  expect(await schedules.remove(etl, "alice")).toBe(false);
});

test("two removals at the same time do not remove a schedule that is created afterwards", async () => {
  const { schedules, host, stored, failures } = await setUp();
  failures.removeRecord.push(undefined, new Error("no cluster"));
  await Promise.all([schedules.remove(etl, "alice"), schedules.remove(etl, "bob")]);
  await host.advance(0);
  expect((await schedules.create(daily)).kind).toBe("created");
  await host.advance(minuteMs);
  expect([...stored.values()]).toMatchObject([{ rules: daily.rules }]);
  expect(schedules.get(etl)).toBeDefined();
});

test("a removal before the pods are known removes the runs afterwards, because their drivers would be left", async () => {
  const { schedules, host, submitted, stored, open } = await setUp();
  await schedules.close();
  let sync = () => {};
  const synced = new Promise<void>((resolve) => {
    sync = resolve;
  });
  const again = await open({ synced });
  await again.remove(etl, "alice");
  await host.advance(minuteMs);
  expect([again.get(etl), submitted.length, stored.size]).toEqual([undefined, 1, 1]);
  sync();
  await host.advance(0);
  expect([submitted.length, stored.size]).toEqual([0, 0]);
});

test("a schedule whose record another program has deleted does not exist any more, and its runs continue", async () => {
  const { schedules, host, stored, minutes } = await setUp();
  stored.clear();
  await host.advance(minuteMs);
  expect(schedules.get(etl)).toBeUndefined();
  await host.advance(10 * minuteMs);
  expect(minutes()).toEqual([1, 2]);
  expect((await schedules.create(daily)).kind).toBe("created");
});

test("a schedule whose record another program has deleted can be suspended and removed", async () => {
  const { schedules, host, stored, submitted } = await setUp();
  stored.clear();
  await schedules.setSuspended(etl, true, { user: "alice" });
  expect(schedules.get(etl)).toBeUndefined();
  const other = { ...etl, name: "other" };
  await schedules.create({ ...everyMinute, ...other });
  await host.advance(minuteMs);
  stored.clear();
  expect(await schedules.remove(other, "alice")).toBe(true);
  await host.advance(0);
  expect(submitted.map(({ record }) => record.schedule?.name)).toEqual(["etl"]);
});

test("a schedule whose record cannot be read is removed by its name", async () => {
  const { schedules, stored, open } = await setUp();
  await schedules.close();
  const [record] = stored.values();
  stored.clear();
  const again = await open();
  if (record !== undefined) stored.set(record.key, record);
  expect(await again.create(daily)).toEqual({ kind: "unreadable" });
  expect(await again.remove(etl, "alice")).toBe(true);
  expect((await again.create(daily)).kind).toBe("created");
});
