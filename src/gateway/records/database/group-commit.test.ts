import { expect, test } from "vitest";
import { testClock } from "../../../host/test-clock.ts";
import { groupCommit } from "./group-commit.ts";

/** Records statements, and fails those that are named. */
function setUp() {
  const statements: string[] = [];
  const failing = new Set<string>();
  const clock = testClock(0);
  const database = {
    inTransaction: false,
    exec(sql: string) {
      statements.push(sql);
      if (failing.has(sql)) throw new Error("disk I/O error");
      database.inTransaction = sql.startsWith("BEGIN");
    },
  };
  return { statements, failing, clock, commits: groupCommit({ database, path: "/db", clock }) };
}

test("writes that arrive together are committed together, in their order, and resolve after the commit", async () => {
  const { statements, commits } = setUp();
  const results = [1, 2, 3].map((number) =>
    commits.write(() => {
      statements.push(`write ${number}`);
      return number;
    }),
  );
  void results[0]?.then(() => statements.push("resolved"));
  expect(await Promise.all(results)).toEqual([1, 2, 3]);
  expect(statements).toEqual(["BEGIN IMMEDIATE", "write 1", "write 2", "write 3", "COMMIT", "resolved"]);
});

test("a commit that fails is rolled back and reported to each of its writes, and a later write replaces what it left", async () => {
  const { statements, failing, clock, commits } = setUp();
  failing.add("COMMIT");
  const failure = { code: "SUBMIT_ERR_GATEWAY_STORE_WRITE", message: expect.stringContaining("/db") };
  const writes = [commits.write(() => {}), commits.write(() => {})];
  for (const write of writes) await expect(write).rejects.toMatchObject(failure);
  expect(statements).toEqual(["BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"]);
  failing.clear();
  statements.length = 0;
  await clock.advance(1000);
  await commits.write(() => {});
  const rewrite = "UPDATE gateway SET next_id = next_id";
  expect(statements.slice(0, 2)).toEqual(["BEGIN IMMEDIATE", rewrite]);
});

test("what waits is committed when it closes, and later writes fail", async () => {
  const { statements, commits } = setUp();
  const waiting = commits.write(() => "stored");
  commits.close();
  expect(statements).toEqual(["BEGIN IMMEDIATE", "COMMIT"]);
  expect(await waiting).toBe("stored");
  await expect(commits.write(() => {})).rejects.toThrow("it is closed");
});
