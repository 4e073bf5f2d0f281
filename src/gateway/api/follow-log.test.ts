import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { testClock } from "../../host/test-clock.ts";
import type { LogPage, LogRange } from "../model/applications.ts";
import { testApplication } from "../model/test-application.ts";
import { followLog } from "./follow-log.ts";

/** A log that grows when it is followed for the first time, whose driver ends then. */
function setUp({ before, after }: { readonly before: readonly string[]; readonly after: readonly string[] }) {
  const clock = testClock(0);
  const controller = new AbortController();
  const reads: (LogRange | string)[] = [];
  let [lines, isRunning] = [before, true];
  const applications = {
    get: () => testApplication({ state: isRunning ? "running" : "succeeded" }),
    async readLog(_: string, range: LogRange): Promise<LogPage> {
      reads.push(range);
      const from = "last" in range ? Math.max(0, lines.length - range.last) : range.from;
      const count = "last" in range ? range.last : range.count;
      return { lines: lines.slice(from, from + count), from, total: lines.length };
    },
    async followLog(_: string, from: number) {
      reads.push(`followed from ${from}`);
      isRunning = false;
      lines = [...before.slice(0, -1), ...after];
      return (async function* () {
        for (const [at, line] of lines.entries()) if (at >= from) yield { lines: [line], from: at, total: at + 1 };
      })();
    },
  };
  const { signal } = controller;
  const follow = (range: LogRange) => followLog({ applications, clock, signal }, testApplication(), range);
  return { clock, follow, reads };
}

test("follows a running log from its present end instead of reading it again, and completes its last line", async () => {
  const { clock, follow, reads } = setUp({ before: ["zero", "one", "tw"], after: ["two", "three"] });
  const all: Promise<string[]> = Readable.from(follow({ last: 2 })).toArray();
  await clock.advance(5000);
  const pages = (await all).flatMap((event) => /^event: lines\ndata: (.*)\n\n$/.exec(event)?.[1] ?? []);
  expect(pages.map((page) => JSON.parse(page))).toMatchObject([
    { from: 1, lines: ["one"] },
    { from: 2, lines: ["two"] },
    { from: 3, lines: ["three"] },
  ]);
  expect((await all).at(-1)).toBe("event: end\ndata: {}\n\n");
  expect(reads).toEqual([{ last: 2 }, "followed from 2", { from: 4, count: 5000 }]);
});
