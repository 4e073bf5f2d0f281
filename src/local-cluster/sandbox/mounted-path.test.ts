import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { cleanPath } from "./container-path.ts";
import { mountedPath } from "./mounted-path.ts";
import type { Mount } from "./sandbox.ts";

const { files } = testHost({
  files: {
    "/usr/bin/python3.11": "x",
    "/usr/bin/python3": { link: "python3.11" },
    "/home/spark/bin/run": "x",
    "/home/spark/loop": { link: "loop" },
    "/volumes/conf/..data/spark.properties": "x",
    "/volumes/conf/spark.properties": { link: "..data/spark.properties" },
  },
});

const mounts: readonly Mount[] = [
  { kind: "bind", source: "/usr", target: "/usr", readOnly: true },
  { kind: "link", to: "usr/bin", target: "/bin" },
  { kind: "temporary", target: "/tmp", mode: 0o1777 },
  { kind: "bind", source: "/home/spark", target: "/opt/spark", readOnly: true },
  { kind: "bind", source: "/volumes/conf", target: "/opt/spark/conf", readOnly: true },
];

describe("mountedPath", () => {
  test("finds a file below a bind", () => {
    expect(mountedPath(files, mounts, "/opt/spark/bin/run")).toBe("/home/spark/bin/run");
  });
  test("follows links of the image and of the host as the container sees them", () => {
    expect(mountedPath(files, mounts, "/bin/python3")).toBe("/usr/bin/python3.11");
  });
  test("resolves through the later of two mounts", () => {
    expect(mountedPath(files, mounts, "/opt/spark/conf/spark.properties")).toBe(
      "/volumes/conf/..data/spark.properties",
    );
  });
  test("returns undefined for paths without a mount, temporary directories and link loops", () => {
    expect(mountedPath(files, mounts, "/etc/passwd")).toBeUndefined();
    expect(mountedPath(files, mounts, "/tmp/x")).toBeUndefined();
    expect(mountedPath(files, mounts, "/opt/spark/loop")).toBeUndefined();
  });
});

test("cleanPath removes dots and repeated slashes", () => {
  expect(cleanPath("//a/./b/../c/")).toBe("/a/c");
  expect(cleanPath("/../..")).toBe("/");
});
