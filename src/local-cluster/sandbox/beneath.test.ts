import { expect, onTestFinished, test } from "vitest";
import type { Files } from "../../host/host.ts";
import { nodeHost } from "../../host/node-host.ts";
import { entryBeneath } from "./beneath.ts";

const { files } = nodeHost();
const directory = { kind: "directory", mode: 0o777 } as const;

/** Creates a directory with a volume and a directory outside of it. */
function volume() {
  const base = files.realPath(files.makeTemporaryDirectory(`${files.temporaryRoot}/firesteel-beneath-`)) ?? "";
  onTestFinished(() => files.remove(base));
  for (const path of ["volume/a/b", "outside"]) files.makeDirectory(`${base}/${path}`);
  files.write(`${base}/volume/file`, "");
  return { base, root: { path: `${base}/volume` }, outside: () => files.list(`${base}/outside`) };
}

test("finds an entry, with its canonical path and its identity", () => {
  const { root } = volume();
  files.link("a/../a", `${root.path}/relative`);
  files.link(`${root.path}/a/b`, `${root.path}/absolute`);
  for (const path of ["a/b", "relative/b", "absolute"]) {
    const expected = { path: `${root.path}/a/b`, kind: "directory", identity: files.identity(`${root.path}/a/b`) };
    expect(entryBeneath(files, root, path)).toEqual(expected);
  }
  expect(entryBeneath(files, root, "file")).toMatchObject({ path: `${root.path}/file`, kind: "file" });
  expect(entryBeneath(files, root, "")).toMatchObject({ path: root.path, identity: files.identity(root.path) });
});

test("creates missing directories or a file, with their mode regardless of the umask", () => {
  const { root } = volume();
  expect(entryBeneath(files, root, "a/new/deep", directory)).toMatchObject({ path: `${root.path}/a/new/deep` });
  expect(files.info(`${root.path}/a/new/deep`)).toMatchObject({ kind: "directory", mode: 0o777 });
  const file = { kind: "file", mode: 0o640 } as const;
  expect(entryBeneath(files, root, "a/x", file)).toMatchObject({ kind: "file" });
  expect(files.info(`${root.path}/a/x`)).toMatchObject({ mode: 0o640 });
  expect(entryBeneath(files, root, "b/x", file)).toBe("missing");
  expect(entryBeneath(files, root, "b/x", { ...file, directoryMode: 0o755 })).toMatchObject({ kind: "file" });
  expect(files.info(`${root.path}/b`)).toMatchObject({ mode: 0o755 });
});

test.each([
  ["a link to a directory outside", "link", "../outside"],
  ["a link to a missing directory outside", "link", "../outside/new"],
  ["an absolute link", "link", undefined],
  ["a link inside a linked directory", "a/b/link", "../../../outside"],
])("creates nothing outside through %s", (_, name, target) => {
  const { base, root, outside } = volume();
  files.link(target ?? `${base}/outside`, `${root.path}/${name}`);
  expect(entryBeneath(files, root, `${name}/new`, directory)).toBe("outside");
  expect(entryBeneath(files, root, name, { kind: "file", mode: 0o644 })).toBe("outside");
  expect(outside()).toEqual([]);
});

test.each([
  ["a missing entry", "a/nothing", "missing"],
  ["an entry below a file", "file/x", "unreachable"],
  ["a loop of links", "loop/x", "unreachable"],
])("reports %s", (_, path, reason) => {
  const { root } = volume();
  files.link("loop", `${root.path}/loop`);
  expect(entryBeneath(files, root, path)).toBe(reason);
});

test("rejects a root that was replaced", () => {
  const { base, root } = volume();
  const identity = files.identity(root.path);
  files.rename(root.path, `${base}/moved`);
  files.makeDirectory(root.path);
  expect(entryBeneath(files, { ...root, identity }, "new", directory)).toBe("unreachable");
  files.remove(root.path);
  files.link("outside", root.path);
  expect(entryBeneath(files, root, "new", directory)).toBe("missing");
});

// The races below happen between two calls of the walk.
const calls = ["info", "openDirectory", "makeDirectory", "identity"] as const;

test.each(calls)("creates nothing outside if a directory is replaced by a link before a call of %s", (call) => {
  for (const at of [1, 2, 3, 4, 5]) {
    const { base, root, outside } = volume();
    let count = 0;
    const replaceOnce = () => {
      count += 1;
      if (count !== at) return;
      files.rename(`${root.path}/a`, `${base}/volume/moved`);
      files.link("../outside", `${root.path}/a`);
    };
    const after = <T>(name: string, value: () => T): T => {
      if (name === call) replaceOnce();
      return value();
    };
    const replaced: Files = {
      ...files,
      info: (...of) => after("info", () => files.info(...of)),
      openDirectory: (...of) => after("openDirectory", () => files.openDirectory(...of)),
      makeDirectory: (...of) => after("makeDirectory", () => files.makeDirectory(...of)),
      identity: (...of) => after("identity", () => files.identity(...of)),
    };
    const result = entryBeneath(replaced, root, "a/b/new/deep", directory);
    expect(outside()).toEqual([]);
    // Either the link was seen, or the walk had passed it and stays in the directory that was moved.
    expect(result === "outside" || typeof result === "object").toBe(true);
    expect(files.info(`${base}/outside/b`)).toBeUndefined();
  }
});
