import { expect, test } from "vitest";
import type { Applications, NewApplication, SubmitResult } from "../model/applications.ts";
import { auditApplications } from "./audit-applications.ts";

const application: NewApplication = {
  ...{ protocol: "livy", owner: "alice", proxyUser: "etl" },
  submission: {
    fields: {},
    ...{ settings: { "spark.password": "hidden" }, resource: "local:///a.jar", appArgs: ["hidden"], templates: {} },
  },
};

test("each change is one entry with the user, the action, the key and the result", async () => {
  const { applications, logged } = audited();
  await applications.submit(application);
  await applications.submit({ ...application, schedule: { uid: "u", name: "nightly", scheduledMs: 0 } });
  await applications.kill("livy-1", "alice");
  await applications.kill("ended", "alice");
  await applications.retry("livy-1", "bob");
  await applications.remove("livy-1", undefined);
  expect(logged).toEqual([
    { action: "submit", user: "alice", proxyUser: "etl", protocol: "livy", result: "unavailable" },
    {
      ...{ action: "submit", user: "alice", proxyUser: "etl", protocol: "livy", schedule: "nightly" },
      result: "unavailable",
    },
    { action: "kill", user: "alice", key: "livy-1", result: "accepted" },
    { action: "kill", user: "alice", key: "ended", result: "refused" },
    { action: "retry", user: "bob", key: "livy-1", result: "accepted" },
    { action: "remove", user: undefined, key: "livy-1", result: "accepted" },
  ]);
  expect(JSON.stringify(logged)).not.toContain("hidden");
});

test("a change that fails is an entry, too", async () => {
  const { applications, logged } = audited();
  await expect(applications.kill("down", "alice")).rejects.toThrow("no cluster");
  expect(logged).toEqual([{ action: "kill", user: "alice", key: "down", result: "failed", reason: "no cluster" }]);
});

function audited() {
  const logged: unknown[] = [];
  const result: SubmitResult = { kind: "unavailable", reason: "hidden", retryAfterSeconds: 1 };
  const page = { lines: [], from: 0, total: 0 };
  const base: Applications = {
    submit: async () => result,
    ...{ find: () => undefined, findByName: () => undefined, get: () => undefined, list: () => [] },
    async kill(key) {
      if (key === "down") throw new Error("no cluster");
      return key !== "ended";
    },
    remove: async () => {},
    retry: async () => true,
    ...{ readLog: async () => page, readReport: async () => page, readReportTail: async () => [] },
    async followLog() {
      throw new Error("not called");
    },
    onChange: () => () => {},
  };
  return { applications: auditApplications(base, (_, __, fields) => void logged.push(fields)), logged };
}
