import { describe, expect, test } from "vitest";
import { findAction } from "./find-action.ts";

const instruction = "Please submit requests through http://[host]:[port]/v1/submissions/...";

describe("findAction", () => {
  test.each([
    ["/v1/submissions/create", "create", ""],
    ["/v1/submissions/create/more/path", "create", "more"],
    ["/v1/submissions/status/driver-1/more", "status", "driver-1"],
    ["/v1/submissions/status/a%20b%3Cc%3E", "status", "a b<c>"],
    ["/v1/submissions/status/%zz", "status", "%zz"],
    ["/v1/submissions/kill/", "kill", ""],
    ["/v1/submissions/killall", "killall", ""],
    ["/v1/submissions/readyz/more", "readyz", "more"],
  ])("finds the action of %s", (path, action, id) => {
    expect(findAction(path, "4.3")).toEqual({ kind: "action", action, id });
  });

  test.each([
    ["/", "Missing protocol version."],
    ["/v1", "Missing the /submissions prefix."],
    ["/v1/", "Missing the /submissions prefix."],
    ["/v1/submissions/statuses", missing("/create, /kill, /killall, /clear, /status, or /readyz")],
    ["//v1/submissions/create", missing("/create, /kill, /killall, /clear, /status, or /readyz")],
  ])("explains that %s has no action", (path, message) => {
    expect(findAction(path, "4.3")).toEqual({ kind: "invalid", message: `${message} ${instruction}` });
  });

  test.each([
    ["/v2", "v2"],
    ["/V1/submissions/create", "V1"],
    ["/v1/jobs", "v1"],
    ["/submissions/create", "submissions"],
  ])("finds the unknown version of %s", (path, version) => {
    const message = `Unknown protocol version '${version}'. ${instruction}`;
    expect(findAction(path, "4.3")).toEqual({ kind: "unknownVersion", message });
  });

  test("knows no newer action as a master of Spark 3.5", () => {
    const message = `${missing("/create, /kill, or /status")} ${instruction}`;
    expect(findAction("/v1/submissions/killall", "3.5")).toEqual({ kind: "invalid", message });
  });
});

function missing(names: string): string {
  return `Missing an action: please specify one of ${names}.`;
}
