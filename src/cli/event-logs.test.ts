import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { clusterPaths } from "./cluster-record.ts";
import { openEventLogs } from "./event-logs.ts";

const dayMs = 24 * 60 * 60_000;

/** Writes logs of 10 bytes, the oldest first, with an hour between them. */
function machine(names: readonly string[]) {
  const host = testHost({ env: { HOME: "/home/tester" } });
  const { eventLogs } = clusterPaths(host, "default");
  for (const [index, name] of names.entries()) {
    const path = `${eventLogs}/${name}`;
    host.files.makeDirectory(path.slice(0, path.lastIndexOf("/")));
    host.files.write(path, "0123456789");
    host.files.changeModified(path, host.clock.now() - dayMs * 30 + index * 3_600_000);
  }
  const open = (limits: { applications: number; bytes: number }, drivers: "running" | "none" = "none") => {
    expect(openEventLogs(host, { directory: eventLogs, drivers }, limits)).toBe(eventLogs);
    return host.files.list(eventLogs);
  };
  return { host, eventLogs, open };
}

test("removes the oldest logs above the limit of applications", () => {
  const { open } = machine(["c", "b", "a"]);
  expect(open({ applications: 2, bytes: 1000 })).toEqual(["a", "b"]);
});

test("removes the oldest logs above the limit of bytes, also rolled ones", () => {
  const { open } = machine(["c", "eventlog_v2_b/events_1_b", "eventlog_v2_b/appstatus_b", "a"]);
  expect(open({ applications: 9, bytes: 25 })).toEqual(["a"]);
});

test("keeps the logs of running applications", () => {
  const running = ["c.inprogress", "eventlog_v2_b/appstatus_b.inprogress"];
  const { open } = machine([...running, "a"]);
  expect(open({ applications: 0, bytes: 0 }, "running")).toEqual(["c.inprogress", "eventlog_v2_b"]);
});

test("without running drivers, removes logs of killed drivers, but none that changed in the last day", () => {
  const { host, eventLogs, open } = machine(["c.inprogress", "b.inprogress"]);
  host.files.changeModified(`${eventLogs}/b.inprogress`, host.clock.now() - dayMs + 1000);
  expect(open({ applications: 0, bytes: 0 })).toEqual(["b.inprogress"]);
});

test("each cluster has a directory of its own", () => {
  const host = testHost({ env: { HOME: "/home/tester" } });
  const paths = ["default", "other"].map((name) =>
    openEventLogs(host, { directory: clusterPaths(host, name).eventLogs, drivers: "none" }),
  );
  expect(new Set(paths).size).toBe(2);
});
