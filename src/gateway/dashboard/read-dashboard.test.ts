import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readDashboard } from "./read-dashboard.ts";

test("reads the built files with their types", () => {
  const contents = new Map([
    ["index.html", "<html>"],
    ["app-1.js", "code"],
    ["notes.txt", "ignored"],
  ]);
  const files = readDashboard(
    {
      list: () => [...contents.keys()],
      readBytes: (path) => Buffer.from(contents.get(path.replace("/dist/", "")) ?? ""),
    },
    "/dist",
  );
  expect([...files].map(([name, { type }]) => [name, type])).toEqual([
    ["index.html", "text/html; charset=utf-8"],
    ["app-1.js", "text/javascript; charset=utf-8"],
  ]);
  expect(gunzipSync(files.get("app-1.js")?.gzip ?? "").toString()).toBe("code");
});

test("rejects an installation without the page", () => {
  expect(() => readDashboard({ list: () => undefined, readBytes: () => undefined }, "/dist")).toThrow(
    expect.objectContaining({
      code: "SUBMIT_ERR_GATEWAY_START",
      message: expect.stringContaining("/dist/index.html does not exist"),
    }),
  );
});
