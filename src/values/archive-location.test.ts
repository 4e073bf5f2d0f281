import { expect, test } from "vitest";
import { parseArchiveLocation, printArchiveLocation } from "./archive-location.ts";

test.each([
  ["archive", { kind: "directory", path: "archive" }, "archive"],
  ["/a/b", { kind: "directory", path: "/a/b" }, "/a/b"],
  ["file:///a/b", { kind: "directory", path: "/a/b" }, "/a/b"],
  ["file:/a/b", { kind: "directory", path: "/a/b" }, "/a/b"],
  ["s3a://bucket/a/", { kind: "store", scheme: "s3a", uri: "s3a://bucket/a" }, "s3a://bucket/a"],
  ["hdfs://nn:8020/a", { kind: "store", scheme: "hdfs", uri: "hdfs://nn:8020/a" }, "hdfs://nn:8020/a"],
  ["pvc:logs", { kind: "claim", claim: "logs", path: "" }, "pvc:logs"],
  ["pvc:logs/a/b/", { kind: "claim", claim: "logs", path: "a/b" }, "pvc:logs/a/b"],
])("parses and prints %s", (text, location, printed) => {
  const parsed = parseArchiveLocation(text);
  expect(parsed).toEqual(location);
  expect(parsed && printArchiveLocation(parsed)).toBe(printed);
});

test.each(["", "file:a", "s3://bucket/a", "s3a:///a", "ftp://host/a", "pvc:", "pvc:UPPER", "pvc:a/../b", "pvc:a//b"])(
  "rejects %j",
  (text) => expect(parseArchiveLocation(text)).toBeUndefined(),
);
