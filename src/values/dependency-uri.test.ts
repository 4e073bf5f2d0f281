import { describe, expect, test } from "vitest";
import { parseDependencyUri, resolveUri, resolveUris } from "./dependency-uri.ts";

const directories = new Map([
  ["/work", "/work"],
  ["/work/libs", "/mnt/libs"],
]);
const context = {
  cwd: "/work",
  inspect: (path: string) => {
    const target = directories.get(path);
    return target === undefined ? undefined : { path: target, isDirectory: true };
  },
};

test.each([
  ["a.jar", "file:/work/a.jar"],
  ["/x//y/../a b.jar", "file:/x/a%20b.jar"],
  ["~/x", "file:/work/~/x"],
  ["./a.txt#b", "file:/work/./a.txt#b"],
  ["../a#b c", "file:/a%23b%20c"],
  ["a%20b", "file:/work/a%2520b"],
  ["C:\\x", "file:/work/C:%5Cx"],
  ["a?b", "file:/work/a%3Fb"],
  ["libs", "file:/mnt/libs/"],
  ["", "file:/work/"],
  ["/", "file:/"],
  ["file:/x", "file:/x"],
  ["file:///x", "file:///x"],
  ["local:///x y", "file:/work/local:/x%20y"],
  ["hdfs://h/p", "hdfs://h/p"],
])("resolves %j as Spark does", (text, uri) => {
  expect(resolveUri(text, context)).toBe(uri);
});

test("drops blank items of a list and does not trim the others", () => {
  expect(resolveUris("a.jar, b.jar,, ,s3a://b/k", context)).toBe("file:/work/a.jar,file:/work/%20b.jar,s3a://b/k");
  expect(resolveUris(" ", context)).toBe("");
});

describe("the location of a dependency", () => {
  test.each([
    ["local:///opt/app.jar", { kind: "containerLocal", fragment: undefined }],
    ["file:/work/a%20b.zip#env", { kind: "submitterLocal", path: "/work/a b.zip", fragment: "env" }],
    ["/x/app.py", { kind: "submitterLocal", path: "/x/app.py", fragment: undefined }],
    ["s3a://bucket/app.py", { kind: "remote", scheme: "s3a", fragment: undefined }],
    ["FILE:/x", { kind: "remote", scheme: "FILE", fragment: undefined }],
  ])("%s", (text, uri) => {
    expect(parseDependencyUri(text)).toEqual({ text, ...uri });
  });
});
