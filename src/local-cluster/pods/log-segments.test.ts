import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { logSegments } from "./log-segments.ts";

const { files } = testHost();
const limits = { fileBytes: 10, files: 3 };

function log(name: string) {
  return logSegments(files, `/${name}/a-1.log`, limits);
}

function readAll({ read }: ReturnType<typeof logSegments>): string {
  const parts: string[] = [];
  let offset = 0;
  while (parts.at(-1) !== "") {
    const { at, bytes } = read(offset, 100);
    parts.push(Buffer.from(bytes).toString("utf8"));
    offset = at + bytes.length;
  }
  return parts.join("");
}

test("continues in another file when one is full, and reads as one log", () => {
  const written = log("whole");
  for (const record of ["one.", "two.", "three.", "four."]) written.append(Buffer.from(record));
  expect(files.list("/whole")).toEqual(["a-1.log", "a-1.log.1"]);
  expect(readAll(written)).toBe("one.two.three.four.");
  expect(readAll(log("whole"))).toBe("one.two.three.four.");
});

test("keeps the last files, and a reader of a deleted part continues with the rest", () => {
  const written = log("kept");
  for (let record = 0; record < 10; record += 1) written.append(Buffer.from(`word-${record}.`));
  expect(files.list("/kept")).toEqual(["a-1.log.2", "a-1.log.3", "a-1.log.4"]);
  expect(readAll(written)).toBe("word-4.word-5.word-6.word-7.word-8.word-9.");
  const taken = log("kept");
  taken.append(Buffer.from("end"));
  expect(readAll(taken)).toBe("word-6.word-7.word-8.word-9.end");
  taken.remove();
  expect(files.list("/kept")).toEqual([]);
});
