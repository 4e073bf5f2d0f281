import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { commandNames, main } from "./main.ts";

async function run(...argv: readonly string[]) {
  const host = testHost({ argv });
  return { exitCode: await main(host), out: host.outText(), error: host.errorText() };
}

test("prints all commands on help", async () => {
  const { exitCode, out } = await run("--help");
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^Usage: firesteel <command> \[options\]\n\n {2}submit {11}submit an application/);
  expect(await run()).toMatchObject({ exitCode: 1, out: "" });
  expect((await run("help", "kill")).out).toMatch(/^Usage: firesteel kill ID/);
});

test("lists the known commands after an unknown one (SUBMIT_ERR_COMMAND_UNKNOWN)", async () => {
  const { exitCode, error } = await run("sumbit");
  expect([exitCode, error]).toEqual([
    1,
    `Error: Unknown command: sumbit\nHint: Did you mean firesteel submit? Use one of: ${commandNames.join(", ")}.\n`,
  ]);
});

test("runs spark-submit as submit", async () => {
  expect(await run("submit")).toMatchObject({
    exitCode: 255,
    error: expect.stringContaining("Usage: spark-submit"),
  });
});

test("prints the version of the package", async () => {
  expect(await run("version")).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^firesteel \d/) });
  expect(await run("sweep", "--help")).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining("--dry-run"),
  });
});
