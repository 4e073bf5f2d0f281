import { describe, expect, test } from "vitest";
import { negotiate } from "./accept.ts";
import { flag, integer, timeout } from "./query.ts";
import { parseTarget } from "./target.ts";

describe("the path of a request", () => {
  test.each([
    ["/api/v1/pods", { group: "", version: "v1", plural: "pods", namespace: undefined, name: undefined }],
    ["/api/v1/namespaces/ns/pods/p/log", { namespace: "ns", plural: "pods", name: "p", subresource: "log" }],
    ["/api/v1/namespaces/ns", { namespace: undefined, plural: "namespaces", name: "ns" }],
    ["/api/v1/namespaces/ns/status", { plural: "namespaces", name: "ns", subresource: "status" }],
    ["/apis/apps/v1/namespaces/ns/statefulsets", { group: "apps", plural: "statefulsets", namespace: "ns" }],
    ["/api/v1/watch/namespaces/ns/pods", { isWatch: true, plural: "pods", namespace: "ns" }],
    ["/api/v1/namespaces/ns/pods/p%3Aq", { name: "p:q" }],
  ])("%s names a resource", (path, parts) => {
    expect(parseTarget(path)).toMatchObject({ type: "resource", ...parts });
  });

  test.each(["/", "/api", "/api/v1", "/apis/apps/v1", "/version", "/openapi/v3"])("%s names no resource", (path) => {
    expect(parseTarget(path)).toEqual({ type: "path", path });
  });

  test("is rejected if its encoding is invalid", () => {
    expect(parseTarget("/api/v1/%zz")).toBeUndefined();
  });
});

describe("an Accept header", () => {
  test.each([
    [undefined, { media: "json", view: "object" }],
    ["*/*", { media: "json", view: "object" }],
    ["application/yaml", { media: "yaml", view: "object" }],
    ["application/vnd.kubernetes.protobuf,application/json", { media: "json", view: "object" }],
    ["application/vnd.kubernetes.protobuf", { media: "protobuf", view: "object" }],
    [
      "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
      { media: "json", view: "table", version: "v1" },
    ],
    ["application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", { view: "metadata" }],
    ["text/html, application/json;q=0.5", { media: "json" }],
  ])("%s", (accept, expected) => {
    expect(negotiate(accept)).toMatchObject(expected);
  });

  test("is rejected if it matches no representation", () => {
    expect(() => negotiate("text/html")).toThrow("406: Not Acceptable");
  });
});

describe("a query", () => {
  const query = new URLSearchParams("yes=true&one=1&no=false&zero=0&empty=&word=x&time=1m30s&bad=soon");

  test("contains booleans", () => {
    const names = ["yes", "one", "empty", "word", "no", "zero", "missing"];
    expect(names.map((name) => flag(query, name))).toEqual([true, true, true, true, false, false, false]);
  });

  test("contains numbers", () => {
    expect(integer(query, "one")).toBe(1);
    expect(() => integer(query, "empty")).toThrow(`parsing "": invalid syntax`);
    expect(() => integer(new URLSearchParams("n=9223372036854775808"), "n")).toThrow("value out of range");
    for (const text of ["-9223372036854775809", `1${"0".repeat(1_000_000)}`]) {
      expect(() => integer(new URLSearchParams({ n: text }), "n")).toThrow("value out of range");
    }
    expect(integer(new URLSearchParams({ n: `-${"0".repeat(100)}5` }), "n")).toBe(-5);
    expect(() => integer(query, "word")).toThrow('strconv.ParseInt: parsing "x": invalid syntax');
  });

  test("contains a timeout", () => {
    expect(timeout(new URLSearchParams("timeout=1m30.5s"))).toBe(90_500);
    expect(timeout(query)).toBeUndefined();
    expect(() => timeout(new URLSearchParams("timeout=soon"))).toThrow('time: invalid duration "soon"');
    expect(() => timeout(new URLSearchParams("timeout=5"))).toThrow('time: missing unit in duration "5"');
    expect(timeout(new URLSearchParams("timeout=-1s"))).toBeUndefined();
    for (const text of ["-", "1s ", "99999999999h", "9".repeat(1_000_000), `${"9".repeat(1_000_000)}s`]) {
      expect(() => timeout(new URLSearchParams({ timeout: text }))).toThrow(`time: invalid duration "${text}"`);
    }
    expect(timeout(new URLSearchParams({ timeout: "1m".repeat(100_000) }))).toBe(6_000_000_000);
  });
});
