import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { testZip } from "../host/test-zip.ts";
import { hasPythonModules } from "./python-in-jar.ts";

test.each([
  [testZip(["a/B.class", "graph/frames.py"]), true],
  [testZip(["a/B.class", "graph/frames.pyc"], "a comment"), true],
  [testZip(["a/B.class", "a/notes.py.txt"]), false],
  [testZip([]), false],
  [Buffer.from("no archive, but longer than the record at the end of one"), false],
  [Buffer.from("short"), false],
])("finds Python modules in a jar %#", (content, expected) => {
  const host = testHost({ files: { "/a.jar": content } });
  expect(hasPythonModules(host.files, "/a.jar")).toBe(expected);
});

test("finds none in a file whose directory is not complete", () => {
  const host = testHost({ files: { "/a.jar": testZip(["a.py"]).subarray(10) } });
  expect(hasPythonModules(host.files, "/a.jar")).toBe(false);
  expect(hasPythonModules(host.files, "/none.jar")).toBe(false);
});
