import { expect, test } from "vitest";
import { nodeHost } from "./node-host.ts";

test("reports why a command cannot be started, for both ways in which Node reports it", async () => {
  const host = nodeHost();
  const missing = await host.spawn("/no/such/program", []).exited;
  expect(missing).toMatchObject({ code: 127, error: expect.stringContaining("ENOENT") });
  const tooLong = await host.spawn("true", [], { env: { X: "x".repeat(4_000_000) } }).exited;
  expect(tooLong).toMatchObject({ code: 126, error: expect.stringContaining("E2BIG") });
});

test("a directory is made with its parents, twice as well, and not where none can be", () => {
  const { files } = nodeHost();
  const root = files.makeTemporaryDirectory(`${files.temporaryRoot}/firesteel-host-`);
  try {
    files.makeDirectory(`${root}/a//b/c`);
    files.makeDirectory(`${root}/a/b/c/`);
    expect(files.info(`${root}/a/b/c`)?.kind).toBe("directory");
    files.write(`${root}/file`, "");
    expect(() => files.makeDirectory(`${root}/file`)).toThrow(/EEXIST/);
    expect(() => files.makeDirectory(`${root}/file/below`)).toThrow(/ENOTDIR/);
    expect(() => files.makeDirectory("/proc/firesteel/below")).toThrow(/ENOENT/);
  } finally {
    files.remove(root);
  }
});

test.each([
  ["a path that is too long", `/tmp/${"directory/".repeat(1000)}file`],
  ["a name that is too long", `/tmp/${"x".repeat(300)}`],
  ["a path with a NUL character", "/tmp/a\0b"],
])("%s does not exist", (_what, path) => {
  const { files } = nodeHost();
  for (const read of [files.info, files.readText, files.readBytes, files.list, files.realPath, files.readLink]) {
    expect(read(path)).toBeUndefined();
  }
  expect(files.readRange(path, 0, 1)).toBeUndefined();
});

test("a directory is listed by name, or as the file system has it", () => {
  const { files } = nodeHost();
  const root = files.makeTemporaryDirectory(`${files.temporaryRoot}/firesteel-host-`);
  try {
    const names = ["a", "b", "c"];
    for (const name of ["c", "a", "b"]) files.write(`${root}/${name}`, "");
    expect(files.list(root)).toEqual(names);
    expect([...(files.list(root, { sorted: false }) ?? [])].sort()).toEqual(names);
    expect(files.list(`${root}/none`, { sorted: false })).toBeUndefined();
    expect(files.list(`${root}/a`, { sorted: false })).toBeUndefined();
  } finally {
    files.remove(root);
  }
});

test("calls all listeners of a signal, and restores the default without listeners", () => {
  const host = nodeHost();
  const before = process.listenerCount("SIGHUP");
  const called: number[] = [];
  const removers = Array.from({ length: 20 }, (_, index) => host.onSignal("SIGHUP", () => called.push(index)));
  expect(process.listenerCount("SIGHUP")).toBe(before + 1);
  removers[3]?.();
  process.emit("SIGHUP");
  expect(called).toHaveLength(19);
  for (const remove of removers) remove();
  expect(process.listenerCount("SIGHUP")).toBe(before);
});

test("reads a complete range that the system returns in pieces", ({ skip }) => {
  if (process.platform !== "linux") skip("requires Linux");
  const { files } = nodeHost();
  expect(files.readRange("/proc/self/maps", 0, 6000)).toHaveLength(6000);
  expect(files.readRange("/proc/self/maps", 10_000_000, 1)).toHaveLength(0);
});

test("delays a child's output until the previous chunk is handled, and reports written input", async () => {
  const script = "head -c 500000 | wc -c >&2; head -c 1000000 /dev/zero; read end";
  const child = nodeHost().spawn("sh", ["-c", script], { stdin: "pipe" });
  let pending = 0;
  const seen = { bytes: 0, maxPending: 0, count: "" };
  child.onOutput(2, (chunk) => {
    seen.count += Buffer.from(chunk).toString("utf8");
  });
  child.onOutput(1, async (chunk) => {
    pending += 1;
    seen.maxPending = Math.max(seen.maxPending, pending);
    seen.bytes += chunk.length;
    await new Promise(setImmediate);
    pending -= 1;
    if (seen.bytes === 1_000_000) child.endInput();
  });
  await new Promise<void>((resolve) => child.writeInput(Buffer.alloc(500_000), resolve));
  await child.exited;
  expect(seen).toEqual({ bytes: 1_000_000, maxPending: 1, count: "500000\n" });
});

test("a uuid is one of version 4, and each another", () => {
  const { random } = nodeHost();
  const made = Array.from({ length: 64 }, () => random.uuid());
  for (const uuid of made)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(made).size).toBe(64);
});

test("a terminal that says it has no width is taken for one of 80 columns", () => {
  const before = Object.getOwnPropertyDescriptor(process.stdout, "columns");
  Object.defineProperty(process.stdout, "columns", { value: 0, configurable: true });
  try {
    expect(nodeHost().stdout.columns).toBe(80);
  } finally {
    if (before === undefined) Reflect.deleteProperty(process.stdout, "columns");
    else Object.defineProperty(process.stdout, "columns", before);
  }
});

test("a longer wait than Node's timers know does not end at once", async () => {
  const { clock } = nodeHost();
  const ended: string[] = [];
  const cancel = clock.after(2 ** 31, () => ended.push("long timer"));
  void clock.sleep(2 ** 31, { background: true }).then(() => ended.push("long sleep"));
  await clock.sleep(20);
  cancel();
  expect(ended).toEqual([]);
});
