import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { logSegments } from "./log-segments.ts";

const mebi = 1024 ** 2;
const block = (letter: string) => Buffer.alloc(4 * mebi, letter);

function readAll({ read }: ReturnType<typeof logSegments>): string {
  let text = "";
  let offset = 0;
  let isDone = false;
  while (!isDone) {
    const { at, bytes } = read(offset, 100 * mebi);
    text += Buffer.from(bytes)
      .toString("utf8")
      .replaceAll(/(.)\1*/g, "$1");
    isDone = bytes.length === 0;
    offset = at + bytes.length;
  }
  return text;
}

test("a log goes on in another file when one has ten mebibytes, and reads as one", () => {
  const { files } = testHost();
  const log = logSegments(files, "/logs/a-1.log");
  for (const letter of "abcdef") log.append(block(letter));
  expect(files.list("/logs")).toEqual(["a-1.log", "a-1.log.1"]);
  expect(readAll(log)).toBe("abcdef");
  expect(readAll(logSegments(files, "/logs/a-1.log"))).toBe("abcdef");
});

test("five files are kept, and a reader of what is gone goes on with what is there", () => {
  const { files } = testHost();
  const log = logSegments(files, "/logs/a-1.log");
  for (const letter of "abcdefghijklmnopqrs") log.append(block(letter));
  expect(files.list("/logs")).toHaveLength(5);
  expect(readAll(log)).toBe("ghijklmnopqrs");
  const taken = logSegments(files, "/logs/a-1.log");
  taken.append(Buffer.from("t"));
  expect(readAll(taken)).toBe("ghijklmnopqrst");
  taken.remove();
  expect(files.list("/logs")).toEqual([]);
});
