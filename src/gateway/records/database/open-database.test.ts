import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Libsql from "libsql";
import { expect, onTestFinished, test } from "vitest";
import { nodeHost } from "../../../host/node-host.ts";
import { closeDatabase, type DatabaseOwner, openDatabase } from "./open-database.ts";

const libsql: typeof Libsql = createRequire(import.meta.url)("libsql");

const owner: DatabaseOwner = { gateway: "jobs/gateway", namespaceUid: "u" };

function setUp() {
  const parent = mkdtempSync(join(tmpdir(), "store-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const directory = join(parent, "a", "store");
  const path = join(directory, "gateway.db");
  const host = nodeHost();
  const open = (changes: Partial<DatabaseOwner> = {}) =>
    openDatabase({ host, directory, owner: { ...owner, ...changes } });
  const create = async (...statements: readonly string[]) => {
    const { database } = await open();
    for (const statement of statements) database.exec(statement);
    closeDatabase(database);
  };
  return { directory, path, host, open, create };
}

const inUse = "another process uses it";

test("only the owner can read the database and its directory, and each commit is synced", async () => {
  const { directory, path, open } = setUp();
  const { database } = await open();
  expect(database.pragma("synchronous", { simple: true })).toMatchObject({ synchronous: 2 });
  expect(database.pragma("journal_mode", { simple: true })).toMatchObject({ journal_mode: "wal" });
  database.exec("UPDATE gateway SET next_id = 1");
  expect([directory, path, `${path}-wal`].map((file) => statSync(file).mode & 0o777)).toEqual([0o700, 0o600, 0o600]);
  closeDatabase(database);
});

test("a record that is removed is not in the file any more", async () => {
  const { path, create } = setUp();
  await create("INSERT INTO applications VALUES ('a', 'hidden-value')");
  expect(readFileSync(path, "latin1")).toContain("hidden-value");
  await create("DELETE FROM applications");
  expect(readFileSync(path, "latin1")).not.toContain("hidden-value");
});

test("a database is used once at a time", async () => {
  const { open, path } = setUp();
  const { database } = await open();
  await expect(open()).rejects.toMatchObject({
    code: "SUBMIT_ERR_GATEWAY_STORE",
    message: `The gateway cannot use its database ${path}: ${inUse}.`,
  });
  closeDatabase(database);
  closeDatabase((await open()).database);
});

test("the database of another gateway is rejected", async () => {
  const { open, create } = setUp();
  await create();
  const reason = "it belongs to the gateway jobs/gateway (namespace and name), and this one is jobs/other";
  await expect(open({ gateway: "jobs/other" })).rejects.toThrow(reason);
});

test("the database of another cluster is rejected, as far as its namespace is known", async () => {
  const { open } = setUp();
  for (const namespaceUid of [undefined, "a", undefined, "a"]) closeDatabase((await open({ namespaceUid })).database);
  await expect(open({ namespaceUid: "b" })).rejects.toThrow(
    "its applications are in another cluster, or in an earlier",
  );
});

test.each([
  ["is of a later release", "PRAGMA user_version = 2", "its format is version 2, and this release knows version 1"],
  ["is that of another program", "PRAGMA application_id = 7", "it is not that of a gateway"],
])("a database that %s is rejected, and not changed", async (_, statement, reason) => {
  const { path, open, create } = setUp();
  await create(statement);
  const before = readFileSync(path);
  await expect(open()).rejects.toThrow(reason);
  expect(readFileSync(path)).toEqual(before);
});

test("the database of a program without an ID is rejected", async () => {
  const { directory, path, open } = setUp();
  mkdirSync(directory, { recursive: true });
  const other = new libsql(path);
  other.exec("CREATE TABLE t (a)");
  other.close();
  await expect(open()).rejects.toThrow("it is not that of a gateway");
});

test.each([
  ["another file", () => Buffer.from("no database\n".repeat(1000)), "it is damaged: file is not a database"],
  ["a part", (content: Buffer) => content.subarray(0, content.length - 8192), "it is damaged: "],
  ["damaged pages", (content: Buffer) => content.fill(0x55, 20_000), "it is damaged: "],
])("a database that is %s is rejected, and not changed", async (_, damage, reason) => {
  const { path, open, create } = setUp();
  const insertion = `INSERT INTO applications VALUES (hex(randomblob(9)), hex(zeroblob(3000)))`;
  await create(...Array.from({ length: 20 }, () => insertion));
  const damaged = damage(readFileSync(path));
  writeFileSync(path, damaged);
  await expect(open()).rejects.toThrow(reason);
  expect(readFileSync(path)).toEqual(damaged);
});

test("a log without its database is not deleted", async () => {
  const { directory, path, open } = setUp();
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${path}-wal`, "log");
  await expect(open()).rejects.toThrow("it is missing or empty beside its log");
  expect(readFileSync(`${path}-wal`, "utf8")).toBe("log");
});

test("without the package, the message says how to install it", async () => {
  const { host, directory } = setUp();
  const elsewhere = { ...host, programPath: join(tmpdir(), "firesteel.cjs") };
  await expect(openDatabase({ host: elsewhere, directory, owner })).rejects.toMatchObject({
    message: expect.stringContaining("the package libsql cannot be loaded: Cannot find module 'libsql'"),
    issues: [{ hint: expect.stringContaining("npm install libsql@0.5.") }],
  });
});

test("a directory that cannot be created is named", async () => {
  const { host, path } = setUp();
  const directory = "/dev/null/store";
  await expect(openDatabase({ host, directory, owner })).rejects.toThrow(/\/dev\/null\/store.*ENOTDIR/);
  expect(() => statSync(path)).toThrow();
});
