import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { executableError } from "./executable-error.ts";
import { withMountPoints } from "./mount-points.ts";
import type { Mount } from "./sandbox.ts";

const { files } = testHost({
  files: {
    "/home/spark/bin/run": { content: "", mode: 0o755 },
    "/home/spark/conf/x": "",
    "/home/spark/link": { link: "bin" },
    "/volumes/c/y": "",
  },
});
const bind = (source: string, target: string, readOnly = true): Mount => ({
  kind: "bind",
  source,
  target,
  readOnly,
});
const home = bind("/home/spark", "/opt/spark");

test("keeps mounts whose mount point exists", () => {
  const mounts = [home, bind("/volumes/c", "/opt/spark/conf")];
  expect(withMountPoints(files, mounts, "/opt/spark/bin")).toEqual(mounts);
  const writable = [bind("/home/spark", "/opt/spark", false), bind("/volumes/c", "/opt/spark/new")];
  expect(withMountPoints(files, writable, "/")).toEqual(writable);
});

test("replaces a read-only directory that lacks a mount point by one with the same entries", () => {
  const inner = bind("/volumes/c", "/opt/spark/extra/deep");
  expect(withMountPoints(files, [home, inner], "/opt/spark")).toEqual([
    { kind: "temporary", target: "/opt/spark", mode: 0o755 },
    bind("/home/spark/bin", "/opt/spark/bin"),
    bind("/home/spark/conf", "/opt/spark/conf"),
    { kind: "link", to: "bin", target: "/opt/spark/link" },
    inner,
  ]);
});

test("replaces only the innermost directory, between its own mount and later mounts", () => {
  const late = bind("/volumes/c", "/opt/spark/conf/sub");
  expect(withMountPoints(files, [home, late], "/opt/spark")).toEqual([
    home,
    { kind: "temporary", target: "/opt/spark/conf", mode: 0o755 },
    bind("/home/spark/conf/x", "/opt/spark/conf/x"),
    late,
  ]);
});

test("looks a command up as the container would", () => {
  const container = {
    mounts: [home],
    env: { PATH: "/nowhere:/opt/spark/bin" },
    workingDirectory: "/opt/spark",
  };
  const why = (command: string) => executableError(files, { ...container, command: [command] });
  expect(["run", "bin/run", "/opt/spark/link/run"].map(why)).toEqual([undefined, undefined, undefined]);
  expect(why("walk")).toBe('exec: "walk": executable file not found in $PATH');
  expect(why("/opt/spark/conf/x")).toBe('exec: "/opt/spark/conf/x": permission denied');
});
