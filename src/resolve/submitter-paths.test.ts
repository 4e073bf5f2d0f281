import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { submitterPaths } from "./submitter-paths.ts";

test("resolves links in the part of a path that exists", () => {
  const paths = submitterPaths(testHost({ files: { "/data/real/a.txt": "", "/link": { link: "/data/real" } } }));
  expect(paths.inspect?.("/link/a.txt")).toEqual({ path: "/data/real/a.txt", isDirectory: false });
  expect(paths.inspect?.("/link")).toEqual({ path: "/data/real", isDirectory: true });
  expect(paths.inspect?.("/link/b/c")).toEqual({ path: "/data/real/b/c", isDirectory: false });
  expect(paths.inspect?.("/none/b")).toEqual({ path: "/none/b", isDirectory: false });
});

test("keeps a path with more directories than the stack has room for", { tags: "long" }, () => {
  const path = `/a${"/b".repeat(60_000)}`;
  expect(submitterPaths(testHost()).inspect?.(path)).toEqual({ path, isDirectory: false });
});
