import { expect, test } from "vitest";
import { testClock } from "../host/test-clock.ts";
import { testHost } from "../host/test-host.ts";
import { limitLog, serverLog } from "./server-log.ts";

test("a limited log writes each text once a minute and counts the entries left out", async () => {
  const clock = testClock(0);
  const entries: unknown[] = [];
  const log = limitLog((level, text, fields) => entries.push([level, text, fields]), clock);
  for (const id of [1, 2, 3]) log("WARN", "full", { id });
  log("WARN", "other");
  await clock.advance(60_000);
  for (const id of [4, 5]) log("WARN", "full", { id });
  await clock.advance(60_000);
  log("WARN", "other");
  expect(entries).toEqual([
    ["WARN", "full", { id: 1 }],
    ["WARN", "other", {}],
    ["WARN", "full", { id: 4, omitted: 2 }],
    ["WARN", "other", {}],
  ]);
});

test("paths and headers of requests stay in their line and control no terminal", () => {
  const host = testHost();
  const path = '/v1/\u001b[2J\n{"level":"ERROR"}\u009d\u202e\u2028';
  serverLog(host)("WARN", path, { path });
  expect(host.outText()).not.toMatch(/[^\P{Cc}\n]|[\u2028\u202e]/u);
  expect(host.outText().match(/\n/g)).toHaveLength(1);
  expect(JSON.parse(host.outText())).toMatchObject({ level: "WARN", text: path, path });
});
