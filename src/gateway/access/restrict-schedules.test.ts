import { expect, test } from "vitest";
import type { GatewayAction, Permissions } from "../model/permissions.ts";
import type { GatewaySchedule, NewSchedule, Schedules } from "../model/schedules.ts";
import { auditSchedules } from "./audit-schedules.ts";
import { restrictSchedules } from "./restrict-schedules.ts";

const etl = { namespace: "jobs", name: "etl" };
const schedule: NewSchedule = {
  ...{ ...etl, owner: "alice", isSuspended: false, rules: { schedule: "@daily" } },
  application: { name: "etl", app: "local:///a.jar", args: ["hidden"] },
};
const stored: GatewaySchedule = {
  record: { ...schedule, key: "schedule-1", uid: "u", requestDigest: "", createdMs: 0 },
  ...{ nextRunMs: undefined, problem: undefined, runs: [] },
};

function setUp() {
  const calls: unknown[] = [];
  const schedules: Schedules = {
    async create(created) {
      calls.push(["create", created.ownerGroups]);
      return { kind: "created", schedule: stored };
    },
    get: () => stored,
    list: () => [stored],
    async setSuspended(_, isSuspended, { user, groups }) {
      calls.push(["setSuspended", isSuspended, user, groups]);
    },
    async remove() {
      calls.push(["remove"]);
      return true;
    },
  };
  return { calls, schedules };
}

function permissions(namespace: string, ...actions: readonly GatewayAction[]): Permissions {
  const allows = (action: GatewayAction, where: string | undefined) => where === namespace && actions.includes(action);
  return { user: "alice", groups: ["data"], allows, canReadSome: actions.includes("read") };
}

test("a user who may submit creates, suspends and resumes schedules, which keep the user's groups", async () => {
  const { calls, schedules } = setUp();
  const restricted = restrictSchedules(schedules, permissions("jobs", "read", "submit"));
  await restricted.create(schedule);
  await restricted.setSuspended(etl, true, { user: "alice" });
  await restricted.setSuspended(etl, false, { user: "alice" });
  expect(calls).toEqual([
    ["create", ["data"]],
    ["setSuspended", true, "alice", ["data"]],
    ["setSuspended", false, "alice", ["data"]],
  ]);
  expect(() => restricted.remove(etl, "alice")).toThrow("cannot kill applications in the namespace 'jobs'");
});

test("a user who may kill removes schedules, and one who may only read changes none", async () => {
  const { calls, schedules } = setUp();
  await restrictSchedules(schedules, permissions("jobs", "read", "kill")).remove(etl, "alice");
  expect(calls).toEqual([["remove"]]);
  const reader = restrictSchedules(schedules, permissions("jobs", "read"));
  expect(reader.list()).toEqual([stored]);
  expect(() => reader.create(schedule)).toThrow("cannot submit applications");
  expect(() => reader.setSuspended(etl, true, { user: "alice" })).toThrow("cannot submit applications");
});

test("schedules of namespaces that a user may not read do not exist for it", async () => {
  const { schedules } = setUp();
  const other = restrictSchedules(schedules, permissions("other", "read"));
  expect([other.get(etl), other.list(), await other.remove(etl, "alice")]).toEqual([undefined, [], false]);
});

test("each change is an entry of the audit log, without the application", async () => {
  const logged: object[] = [];
  const audited = auditSchedules(setUp().schedules, (_level, _text, fields = {}) => logged.push(fields));
  await audited.create(schedule);
  await audited.setSuspended(etl, true, { user: "bob" });
  await audited.setSuspended(etl, false, { user: undefined });
  await audited.remove(etl, "bob");
  const named = { namespace: "jobs", schedule: "etl" };
  expect(logged).toEqual([
    { action: "schedule", user: "alice", ...named, result: "created" },
    { action: "suspend", user: "bob", ...named, result: "accepted" },
    { action: "resume", user: undefined, ...named, result: "accepted" },
    { action: "remove", user: "bob", ...named, result: "accepted" },
  ]);
});
