import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { eventLogDirectory, maxEventLogs, openEventLogs } from "./event-logs.ts";

test("the oldest event logs above the limit are removed", () => {
  const host = testHost({ env: { HOME: "/home/tester" } });
  const directory = eventLogDirectory(host);
  host.files.makeDirectory(directory);
  for (let app = 0; app < maxEventLogs + 3; app += 1) {
    host.files.write(`${directory}/eventlog_v2_spark-${app}`, "");
    host.files.changeModified(`${directory}/eventlog_v2_spark-${app}`, 1_000_000 + app * 1000);
  }
  expect(openEventLogs(host)).toBe(directory);
  const left = host.files.list(directory) ?? [];
  expect(left).toHaveLength(maxEventLogs);
  expect(left).not.toContain("eventlog_v2_spark-2");
  expect(left).toContain("eventlog_v2_spark-3");
});
