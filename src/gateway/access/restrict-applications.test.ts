import { expect, test } from "vitest";
import type { GatewayApplication } from "../model/application.ts";
import type { Applications, NewApplication } from "../model/applications.ts";
import { type GatewayAction, PermissionError } from "../model/permissions.ts";
import { testApplication, testRecord, testSubmission } from "../model/test-application.ts";
import { restrictApplications } from "./restrict-applications.ts";

test("applications of namespaces that a user may not read do not exist for it", async () => {
  const { applications } = restricted(["read jobs"]);
  expect([...applications.list()].map(({ record }) => record.key)).toEqual(["own"]);
  expect([applications.get("own")?.record.key, applications.get("other")]).toEqual(["own", undefined]);
  expect(applications.find("api", "other")).toBeUndefined();
  expect(applications.findByName("api", "other")).toBeUndefined();
});

test("a user who may read no namespace cannot find out which applications exist", () => {
  const { applications } = restricted(["submit jobs"]);
  expect([...applications.list()]).toEqual([]);
  for (const key of ["own", "unknown"]) expect(() => applications.get(key)).toThrow(PermissionError);
});

test("a user who may not read logs gets applications without their lines", () => {
  const [without, complete] = [["read jobs"], ["read jobs", "readLog jobs"]].map((permissions) =>
    restricted(permissions).applications.get("own"),
  );
  expect(JSON.stringify(complete)).toContain("line of the log");
  expect(JSON.stringify(without)).not.toContain("line of the log");
  expect(without?.record.end).toMatchObject({ state: "failed" });
});

test("changes need their permission in the application's namespace", async () => {
  const { applications, calls } = restricted(["read jobs", "kill jobs"]);
  expect(await applications.kill("own", "alice")).toBe(true);
  for (const denied of [
    applications.kill("other", "alice"),
    applications.remove("other", "alice"),
    applications.retry("own", "alice"),
    applications.readLog("own", { last: 1 }),
    applications.followLog("own", 0, new AbortController().signal),
    applications.readReport("own", { last: 1 }),
    applications.readReportTail("own", 1),
  ])
    await expect(denied).rejects.toThrow(PermissionError);
  expect(calls).toEqual(["kill own"]);
});

test.each([
  [{}, undefined],
  [{ "spark.kubernetes.namespace": "jobs" }, undefined],
  [{ "spark.kubernetes.namespace": "team" }, "User 'alice' cannot submit applications in the namespace 'team'."],
])("with the settings %j, a submission fails with %s", async (settings, message) => {
  const { applications } = restricted(["submit jobs"]);
  const application: NewApplication = { protocol: "api", submission: { ...testSubmission, settings } };
  const failure = await applications.submit(application).then(
    () => undefined,
    (error: unknown) => (error instanceof PermissionError ? error.message : error),
  );
  expect(failure).toBe(message);
});

test("a user sees only changes of applications that it may read", () => {
  const { applications, change } = restricted(["read jobs"]);
  const seen: string[] = [];
  applications.onChange((key, application) => void seen.push(`${key} ${application?.state}`));
  change("own", applicationIn("jobs", "own"));
  change("other", applicationIn("team", "other"));
  change("other", undefined);
  change("own", undefined);
  expect(seen).toEqual(["own failed", "own undefined"]);
});

function applicationIn(namespace: string, key: string): GatewayApplication {
  const end = { state: "failed", atMs: 0, hasStarted: true, logTail: ["line of the log"] } as const;
  const record = testRecord({ key, id: key, namespace, podName: key, end });
  return testApplication({ record, state: "failed", submissionLog: ["line of the log"] });
}

/** Returns the applications of two namespaces for a user with the permissions `ACTION NAMESPACE`; `jobs` is the default namespace. */
function restricted(permitted: readonly string[]) {
  const all = new Map([
    ["own", applicationIn("jobs", "own")],
    ["other", applicationIn("team", "other")],
  ]);
  const calls: string[] = [];
  const page = { lines: [], from: 0, total: 0 };
  const listeners: Parameters<Applications["onChange"]>[0][] = [];
  const applications: Applications = {
    submit: async () => ({ kind: "accepted", application: applicationIn("jobs", "new") }),
    find: (_, id) => all.get(id),
    findByName: (_, name) => all.get(name),
    get: (key) => all.get(key),
    list: () => all.values(),
    async kill(key) {
      calls.push(`kill ${key}`);
      return true;
    },
    remove: async (key) => void calls.push(`remove ${key}`),
    retry: async (key) => calls.push(`retry ${key}`) > 0,
    readLog: async () => page,
    followLog: async () => (async function* () {})(),
    readReport: async () => page,
    readReportTail: async () => [],
    onChange(listener) {
      listeners.push(listener);
      return () => {};
    },
  };
  const allows = (action: GatewayAction, namespace = "jobs") => permitted.includes(`${action} ${namespace}`);
  const canReadSome = permitted.some((permission) => permission.startsWith("read "));
  return {
    applications: restrictApplications(applications, { user: "alice", allows, canReadSome }),
    change: (key: string, application: GatewayApplication | undefined) => {
      for (const listener of listeners) listener(key, application);
    },
    calls,
  };
}
