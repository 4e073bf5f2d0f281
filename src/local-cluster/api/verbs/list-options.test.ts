import { describe, expect, test } from "vitest";
import { configMap, statusOf, testCall } from "../test-call.ts";
import { listOptions, parseRevision, printContinuation } from "./list-options.ts";

const tokenQuery = (content: string) => `continue=${Buffer.from(content).toString("base64url")}`;
const optionsOf = (query: string, isWatch = false) => listOptions(testCall("configmaps", { query }), { isWatch });

describe("the options of a list", () => {
  test("have defaults that select everything", () => {
    const { selection, ...others } = optionsOf("");
    expect(others).toEqual({
      ...{ limit: undefined, continuation: undefined, revision: undefined, isExact: false },
      ...{ allowBookmarks: false, sendInitialEvents: undefined, timeoutSeconds: undefined },
    });
    expect([selection.isSelective, selection.matches(configMap("a"))]).toEqual([false, true]);
  });

  test("select by labels, fields and the name in the path", () => {
    const { selection } = optionsOf("labelSelector=a%3Db&fieldSelector=metadata.name%3Dx");
    expect(selection.isSelective).toBe(true);
    expect(selection.matches(configMap("x", {}, { labels: { a: "b" } }))).toBe(true);
    expect(selection.matches(configMap("y", {}, { labels: { a: "b" } }))).toBe(false);
    const named = listOptions(testCall("configmaps", { name: "x" }), { isWatch: true });
    expect(named.selection.matches(configMap("y"))).toBe(false);
  });

  test("are exact for a revision with a limit, unless newer ones are accepted", () => {
    expect(optionsOf("resourceVersion=5&limit=1").isExact).toBe(true);
    expect(optionsOf("resourceVersion=5").isExact).toBe(false);
    expect(optionsOf("resourceVersion=5&limit=1&resourceVersionMatch=NotOlderThan").isExact).toBe(false);
    expect(optionsOf("resourceVersion=5&resourceVersionMatch=Exact").isExact).toBe(true);
  });

  test("contain the position of a continue token", () => {
    const token = printContinuation({ revision: 7, start: "default/b" });
    expect(optionsOf(`limit=2&continue=${token}`).continuation).toEqual({ revision: 7, start: "default/b" });
  });

  test.each([
    ["labelSelector=a%20b", 400, "unable to parse requirement"],
    ["resourceVersionMatch=Exact", 422, "is forbidden unless resourceVersion is provided"],
    ["resourceVersion=0&resourceVersionMatch=Exact", 422, 'is forbidden for resourceVersion "0"'],
    ["sendInitialEvents=true", 422, "sendInitialEvents is forbidden for list"],
    ["continue=!", 400, "continue key is not valid: illegal base64 data at input byte 0"],
    ["continue=YQ", 400, "continue key is not valid: invalid character 'a' looking for beginning of value"],
    [tokenQuery("{}"), 400, "server does not recognize this encoded version "],
    [tokenQuery("[".repeat(20_000)), 400, "invalid character '[' exceeded max depth"],
    [tokenQuery('{"v":"meta.k8s.io/v1"}'), 400, "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"],
    [tokenQuery('{"v":"meta.k8s.io/v1","rv":1}'), 400, "encoded start key empty (version meta.k8s.io/v1)"],
    [tokenQuery('{"v":"meta.k8s.io/v1","rv":1.5}'), 400, "json: cannot unmarshal number 1.5 into Go struct field"],
    [tokenQuery('{"v":"meta.k8s.io/v1","rv":1,"start":"../../x"}'), 400, "continue key is not valid: ../../x"],
    [`resourceVersion=5&continue=${printContinuation({ revision: 7, start: "a" })}`, 400, "when using continue"],
  ])("are rejected: %s", (query, code, message) => {
    expect(statusOf(() => optionsOf(query))).toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});

test("a watch requires NotOlderThan with sendInitialEvents", () => {
  expect(optionsOf("sendInitialEvents=true&resourceVersionMatch=NotOlderThan", true).sendInitialEvents).toBe(true);
  expect(statusOf(() => optionsOf("sendInitialEvents=true", true))?.message).toContain(
    "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
  );
});

test("a revision is a number", () => {
  expect([parseRevision(""), parseRevision("12")]).toEqual([undefined, 12]);
  expect(statusOf(() => parseRevision("x"))?.code).toBe(400);
});
