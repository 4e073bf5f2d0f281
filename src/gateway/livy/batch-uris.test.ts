import { expect, test } from "vitest";
import { resolveBatchUri } from "./batch-uris.ts";

const rules = { defaultFileSystem: undefined, localDirectories: ["/opt/jars"] };

test.each([
  "local:///a.jar",
  "s3a://bucket/b.jar",
  "hdfs://nn:8020/a.jar",
  "https://host.invalid/c.jar?a=%20b",
  "local:///env.tar.gz#environment",
])("%s is a URI for Spark", (uri) => {
  expect(resolveBatchUri(uri, rules)).toEqual({ ok: true, uri });
});

test("a path belongs to the default file system", () => {
  const withDefault = { ...rules, defaultFileSystem: "hdfs://nn:8020/" };
  expect(resolveBatchUri("/a/b.jar", withDefault)).toEqual({ ok: true, uri: "hdfs://nn:8020/a/b.jar" });
});

test.each([undefined, "file:///"])("a path is a file of the server with the default file system %s", (fileSystem) => {
  const resolved = resolveBatchUri("/a.jar", { ...rules, defaultFileSystem: fileSystem });
  expect(resolved).toEqual({ ok: false, reason: "Local path /a.jar cannot be added to user sessions." });
});

test.each(["app.jar", "./app.jar", ""])("'%s' is not absolute", (path) => {
  expect(resolveBatchUri(path, rules)).toEqual({ ok: false, reason: `Path '${path}' is not absolute.` });
});

test.each([
  ["file:///etc/passwd", "/etc/passwd"],
  ["file:/etc/passwd", "/etc/passwd"],
  ["FILE:///etc/passwd#x", "/etc/passwd"],
  ["file://host/etc/passwd", "/etc/passwd"],
  ["file:///opt/jars/../../etc/passwd", "/opt/jars/../../etc/passwd"],
  ["file:///opt/jarsX/a.jar", "/opt/jarsX/a.jar"],
  ["file:opt/jars/a.jar", "opt/jars/a.jar"],
])("%s is rejected as a file of the server", (uri, path) => {
  expect(resolveBatchUri(uri, rules)).toEqual({
    ok: false,
    reason: `Local path ${path} cannot be added to user sessions.`,
  });
});

test("a file in an allowed directory becomes a file of the driver", () => {
  expect(resolveBatchUri("file:///opt/jars/a.jar#b.jar", rules)).toEqual({
    ok: true,
    uri: "local:///opt/jars/a.jar#b.jar",
  });
});

test.each(["s3a://bucket/a b.jar", "local:", "hdfs://nn/%zz", "local:///{a}", "s3a:#x"])("%s is malformed", (uri) => {
  expect(resolveBatchUri(uri, rules)).toEqual({ ok: false, reason: expect.stringMatching(/^Invalid URI: /) });
});
