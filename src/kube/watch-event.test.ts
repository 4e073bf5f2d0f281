import { expect, test } from "vitest";
import { parseWatchEvent } from "./watch-event.ts";

test("a line of a watch is an event", () => {
  expect(parseWatchEvent('{"type":"ADDED","object":{"kind":"Pod"}}')).toEqual({
    type: "ADDED",
    object: { kind: "Pod" },
  });
});

test.each(["", "{", "null", "[]", '{"type":"ADDED"}', '{"type":"OTHER","object":{}}', '{"type":"ADDED","object":1}'])(
  "%j is not an event",
  (line) => expect(parseWatchEvent(line)).toBeUndefined(),
);
