import { expect, test } from "vitest";
import { sparkLog } from "../host/log.ts";
import { testHost } from "../host/test-host.ts";
import type { LogLine } from "./client-options.ts";
import { interruptibleHost, libraryHost, libraryLog } from "./library-host.ts";

test("output becomes lines of the log, and nothing reaches the streams", () => {
  const machine = testHost({ argv: ["--kill"], env: { HOME: "/h" } });
  const lines: LogLine[] = [];
  const host = libraryHost(machine, { log: (line) => lines.push(line), env: { HOME: "/other" } });
  host.stdout.write("a log of a driver\n");
  host.stderr.write("Warning: Ignoring non-Spark config property: a\n");
  host.stderr.write("Application not found.\n");
  host.stderr.write("\n");
  sparkLog(host)("WARN", "SparkConf", "text");
  libraryLog((line) => lines.push(line))("INFO", "Client", "text");
  expect(lines).toEqual([
    { level: "WARN", source: "SparkSubmit", message: "Warning: Ignoring non-Spark config property: a" },
    { level: "INFO", source: "SparkSubmit", message: "Application not found." },
    { level: "WARN", source: "SparkConf", message: "text" },
    { level: "INFO", source: "Client", message: "text" },
  ]);
  expect([host.argv, host.env["HOME"], machine.outText(), machine.errorText()]).toEqual([[], "/other", "", ""]);
});

test("an abort is an interrupt, also one before the listener", () => {
  const aborting = new AbortController();
  let count = 0;
  const listener = () => {
    count += 1;
  };
  const host = interruptibleHost(testHost(), aborting.signal);
  host.onSignal("SIGTERM", listener);
  const remove = host.onSignal("SIGINT", listener);
  host.onSignal("SIGINT", () => {})();
  aborting.abort();
  expect(count).toBe(1);
  remove();
  host.onSignal("SIGINT", listener);
  expect(count).toBe(2);
});
