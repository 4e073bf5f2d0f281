import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { nearestFile } from "./nearest-file.ts";

const host = testHost({ files: { "/work/app.py": "", "/work/data/input.csv": "" }, cwd: "/work" });

test.each([
  ["/work/ap.py", "/work/app.py"],
  ["ap.py", "app.py"],
  ["data/inptu.csv", "data/input.csv"],
  ["/work/dat", "/work/data"],
  ["/work/other.jar", undefined],
  ["/none/app.py", undefined],
  ["/work/app.py/x", undefined],
])("suggests for %s: %s", (path, nearest) => {
  expect(nearestFile(host, path)).toBe(nearest);
});
