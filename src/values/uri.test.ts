import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeFragment, parseUri, printFileUri, withFragment } from "./uri.ts";

test.each([
  ["s3a://b_c/k?x#y", { scheme: "s3a", path: "/k", fragment: "y" }],
  ["a%20b#c%C3%A9", { scheme: undefined, path: "a b", fragment: "cé" }],
  ["local:///x", { scheme: "local", path: "/x", fragment: undefined }],
  ["foo:bar", { scheme: "foo", path: undefined, fragment: undefined }],
  ["//h/x", { scheme: undefined, path: "/x", fragment: undefined }],
  ["http://[::1]:80/x", { scheme: "http", path: "/x", fragment: undefined }],
  ["http://#f", { scheme: "http", path: "", fragment: "f" }],
  ["é%ff", { scheme: undefined, path: "é\ufffd", fragment: undefined }],
  ["", { scheme: undefined, path: "", fragment: undefined }],
])("parses %j", (text, uri) => {
  expect(parseUri(text)).toEqual(uri);
});

test.each(["a b", "a[1]", "C:\\x", "1a:b", ":x", "foo:", "http://", "a%zz", "a#b#c", "http://h[/x", "a\u00a0b", "a|b"])(
  "rejects %j as Java does",
  (text) => {
    expect(parseUri(text)).toBeUndefined();
  },
);

test("escapes a path where necessary, but not non-ASCII characters", () => {
  expect(printFileUri("/a b%20/é😀[1]?#\u00a0")).toBe("file:/a%20b%2520/é😀%5B1%5D%3F%23%C2%A0");
  expect(escapeFragment("a b?[é]")).toBe("a%20b?[é]");
});

test("parses the URI of any path to the path", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (name) => {
      expect(parseUri(printFileUri(`/x${name}`))).toEqual({
        scheme: "file",
        path: `/x${name}`,
        fragment: undefined,
      });
    }),
  );
});

// As spark.archives came out of Spark 4.3.0.
test.each([
  ["file:///up/spark-upload-1/env.tgz", "env", "file:/up/spark-upload-1/env.tgz#env"],
  ["file:///s p/ü.tgz", "ümg", "file:/s%20p/%C3%BC.tgz#%C3%BCmg"],
  ["file:/up/b%20c.zip", undefined, "file:/up/b%20c.zip"],
  ["/up/x%y z?/ü.tgz", "q", "/up/x%25y%20z?/ü.tgz#q"],
  ["file:///up#x/a.txt", "q", "file:/up#q"],
  ["s3a://bucket/a+b@c.zip", "z", "s3a://bucket/a+b@c.zip#z"],
])("replaces the fragment of %j by %j", (uri, fragment, expected) => {
  expect(withFragment(uri, fragment)).toBe(expected);
});
