import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { statusLine } from "./status-line.ts";

const erase = "\r\u001b[K";

function onTerminal(env: Record<string, string> = {}, terminal = true) {
  const host = testHost({ terminal, env, columns: 20 });
  const log = (_: string, __: string, text: string) => host.stderr.write(`${text}\n`);
  return { host, line: statusLine({ host, clock: host.clock, log }) };
}

test("the line makes room for a log line, and comes back below it", () => {
  const { host, line } = onTerminal({ NO_COLOR: "1" });
  line.show("half done");
  line.log("INFO", "X", "hello");
  line.clear();
  expect(host.errorText()).toBe(`${erase}half done${erase}hello\n${erase}half done${erase}`);
});

test("the line waits for the end of what stdout has begun", () => {
  const { host, line } = onTerminal({ NO_COLOR: "1" });
  line.show("half");
  line.stdout.write("no end");
  line.show("more");
  expect(host.errorText()).toBe(`${erase}half${erase}`);
  line.stdout.write(" yet\n");
  expect(host.errorText()).toBe(`${erase}half${erase}${erase}more`);
  expect(host.outText()).toBe("no end yet\n");
});

test("the line is no longer than the terminal is wide, and dim unless nobody wants that", () => {
  const { host, line } = onTerminal();
  line.show("a line that is longer than the terminal");
  expect(host.errorText()).toBe(`${erase}\u001b[2ma line that is long\u001b[0m`);
});

test("without a terminal there is no line, only how long it has been quiet", async () => {
  for (const { host, line } of [onTerminal({}, false), onTerminal({ TERM: "dumb" })]) {
    line.show("half");
    line.clear();
    expect(host.errorText()).toBe("");
    await host.advance(5000);
    line.log("INFO", "X", "Application status for spark-1 (phase: Running)");
    expect(line.silenceMs()).toBe(5000);
    line.log("INFO", "X", "something");
    expect(line.silenceMs()).toBe(0);
  }
});
