import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { hasPythonModules } from "./python-in-jar.ts";

/** Builds a zip archive of empty files. @param comment of the archive */
function zip(names: readonly string[], comment = ""): Buffer {
  const entries = names.map((name) => {
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(name.length, 28);
    return Buffer.concat([entry, Buffer.from(name)]);
  });
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(4, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([Buffer.from("body"), directory, end, Buffer.from(comment)]);
}

test.each([
  [zip(["a/B.class", "graph/frames.py"]), true],
  [zip(["a/B.class", "graph/frames.pyc"], "a comment"), true],
  [zip(["a/B.class", "a/notes.py.txt"]), false],
  [zip([]), false],
  [Buffer.from("no archive, but longer than the record at the end of one"), false],
  [Buffer.from("short"), false],
])("finds Python modules in a jar %#", (content, expected) => {
  const host = testHost({ files: { "/a.jar": content } });
  expect(hasPythonModules(host.files, "/a.jar")).toBe(expected);
});

test("finds none in a file whose directory is not complete", () => {
  const host = testHost({ files: { "/a.jar": zip(["a.py"]).subarray(10) } });
  expect(hasPythonModules(host.files, "/a.jar")).toBe(false);
  expect(hasPythonModules(host.files, "/none.jar")).toBe(false);
});
