import { expect, test } from "vitest";
import { testClock } from "../host/test-clock.ts";
import { unrepeatedLog } from "./unrepeated-log.ts";

test("logs a text once in ten seconds", async () => {
  const clock = testClock(0);
  const lines: string[] = [];
  const log = unrepeatedLog((level, logger, text) => lines.push(`${level} ${logger}: ${text}`), clock);
  for (const text of ["away", "away", "busy", "away"]) log("WARN", "KubernetesClient", text);
  expect(lines).toEqual(["WARN KubernetesClient: away", "WARN KubernetesClient: busy"]);
  await clock.advance(10_000);
  log("WARN", "KubernetesClient", "away");
  expect(lines).toHaveLength(3);
});
