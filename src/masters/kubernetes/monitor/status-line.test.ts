import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { statusLine } from "./status-line.ts";

const erase = "\r\u001b[K";

function onTerminal(env: Record<string, string> = {}, terminal = true) {
  const host = testHost({ terminal, env, columns: 20 });
  const log = (_: string, __: string, text: string) => host.stderr.write(`${text}\n`);
  return { host, line: statusLine({ host, log }) };
}

test("the status line leaves room for a log line and reappears below it", () => {
  const { host, line } = onTerminal({ NO_COLOR: "1" });
  line.show("half done");
  line.log("INFO", "X", "hello");
  line.clear();
  expect(host.errorText()).toBe(`${erase}half done${erase}hello\n${erase}half done${erase}`);
});

test("the status line reappears after stdout ends its unfinished line", () => {
  const { host, line } = onTerminal({ NO_COLOR: "1" });
  line.show("half");
  line.stdout.write("no end");
  line.show("more");
  expect(host.errorText()).toBe(`${erase}half${erase}`);
  line.stdout.write(" yet\n");
  expect(host.errorText()).toBe(`${erase}half${erase}${erase}more`);
  expect(host.outText()).toBe("no end yet\n");
});

test("the status line fits the terminal and is dim without NO_COLOR", () => {
  const { host, line } = onTerminal();
  line.show("a line that is longer than the terminal");
  expect(host.errorText()).toBe(`${erase}\u001b[2ma line that is long\u001b[0m`);
});

test("there is no status line without a terminal, or on a dumb one", () => {
  for (const { host, line } of [onTerminal({}, false), onTerminal({ TERM: "dumb" })]) {
    line.show("half");
    line.clear();
    expect(host.errorText()).toBe("");
  }
});

test("the status line stays one line, and only Firesteel controls the terminal", () => {
  const { host, line } = onTerminal({ NO_COLOR: "1" });
  line.show("a\u001b[2J\nb");
  line.log("INFO", "X", "log\u009d0;title\u0007");
  expect(host.errorText()).toBe(
    `${erase}a\\u001b[2J\\u000ab${erase}log\\u009d0;title\\u0007\n${erase}a\\u001b[2J\\u000ab`,
  );
});
