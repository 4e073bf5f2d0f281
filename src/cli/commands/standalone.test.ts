import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { main } from "../main.ts";

async function run(...args: readonly string[]) {
  const host = testHost({ argv: ["standalone", ...args] });
  const exitCode = await main(host);
  return { exitCode, error: host.errorText(), out: host.outText() };
}

describe("firesteel standalone", () => {
  test.each([
    [["restart"], "Unknown command: standalone restart"],
    [["killall"], "Missing argument for option '--master'."],
    [["killall", "now", "--master", "spark://h:1"], "Unrecognized option: now"],
    [["killall", "--master", "k8s://h"], "it is not the address of a master."],
    [["killall", "--mister", "x"], "Unrecognized option: --mister"],
  ])("rejects %j", async (args, text) => {
    const { exitCode, error } = await run(...args);
    expect([exitCode, error]).toEqual([1, expect.stringContaining(text)]);
  });

  test("prints usage", async () => {
    expect((await run("--help")).out).toContain("killall   kill all drivers");
    expect(await run()).toMatchObject({ exitCode: 1, error: expect.stringContaining("Usage:") });
  });
});
