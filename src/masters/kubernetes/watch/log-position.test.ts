import fc from "fast-check";
import { expect, test } from "vitest";
import { logPosition } from "./log-position.ts";

/** Creates a position that accepts text. */
function textPosition() {
  const { accept, acceptPart, restart } = logPosition();
  return {
    restart,
    accept: (line: string) => accept(Buffer.from(line))?.toString(),
    acceptPart: (part: string) => acceptPart(Buffer.from(part))?.toString(),
  };
}

/** Creates the log of a node; the returned function reads its first `written` lines from a start time. */
function nodeLog(stamps: readonly number[]) {
  const all = stamps.map((ms, index) => ({ ms, line: `${new Date(ms).toISOString()} line ${index}` }));
  const start = (since: string | undefined) => (since === undefined ? 0 : Date.parse(since));
  return (written: number, since: string | undefined) => all.slice(0, written).filter(({ ms }) => ms >= start(since));
}

const startMs = Date.UTC(2026, 0, 1);

test("log positions accept each line once and in order after broken requests", () => {
  const steps = fc.array(fc.integer({ min: -300, max: 900 }), { maxLength: 40 });
  const breaks = fc.array(fc.tuple(fc.nat(40), fc.nat(40)), { maxLength: 6 });
  fc.assert(
    fc.property(steps, breaks, (deltas, readings) => {
      let time = startMs;
      // Each line can be up to a second older than a line above it.
      const stamps = deltas.map((delta) => {
        time = Math.max(time, time + delta);
        return time + Math.min(delta, 0);
      });
      const read = nodeLog(stamps);
      const position = textPosition();
      const seen: string[] = [];
      for (const [written, taken] of [...readings, [stamps.length, stamps.length] as const]) {
        const since = position.restart();
        for (const { line } of read(written, since).slice(0, taken)) {
          const fresh = position.accept(line);
          if (fresh !== undefined) seen.push(fresh);
        }
      }
      expect(seen).toEqual(stamps.map((_, index) => `line ${index}`));
    }),
  );
});

test("log positions remove timestamps of any time zone and keep empty lines", () => {
  const position = textPosition();
  expect(position.accept("2026-01-01T01:00:05.123456789+01:00 a  b")).toBe("a  b");
  expect(position.accept("2026-01-01T00:00:05Z ")).toBe("");
  expect(position.restart()).toBe("2026-01-01T00:00:04Z");
});

test("log positions request the complete log if lines have no timestamps", () => {
  const position = textPosition();
  expect(position.accept("one")).toBe("one");
  expect(position.restart()).toBeUndefined();
  expect([position.accept("one"), position.accept("two")]).toEqual([undefined, "two"]);
});

test("log positions count the parts of a cut line, and read no timestamp in them", () => {
  const position = textPosition();
  expect(position.accept("2026-01-01T00:00:05Z long")).toBe("long");
  expect(position.acceptPart("2036-01-01T00:00:05Z part")).toBe("2036-01-01T00:00:05Z part");
  expect(position.restart()).toBe("2026-01-01T00:00:04Z");
  expect(position.accept("2026-01-01T00:00:05Z long")).toBeUndefined();
  expect(position.acceptPart("2036-01-01T00:00:05Z part")).toBeUndefined();
  expect(position.acceptPart(" more")).toBe(" more");
});
