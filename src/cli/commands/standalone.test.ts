import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { main } from "../main.ts";

async function run(...words: readonly string[]) {
  const host = testHost({ argv: ["standalone", ...words] });
  const exitCode = await main(host);
  return { exitCode, error: host.errorText(), out: host.outText() };
}

describe("firesteel standalone", () => {
  test.each([
    [["nonsense"], "Unknown command: standalone nonsense"],
    [["killall"], "Missing argument for option '--master'."],
    [["killall", "now", "--master", "spark://h:1"], "Unrecognized option: now"],
    [["killall", "--master", "k8s://h"], "it is not the address of a master."],
    [["killall", "--mister", "x"], "Unrecognized option: --mister"],
  ])("%j is refused", async (words, text) => {
    const { exitCode, error } = await run(...words);
    expect([exitCode, error]).toEqual([1, expect.stringContaining(text)]);
  });

  test("shows what it can do", async () => {
    expect((await run("--help")).out).toContain("killall   ends all drivers");
    expect(await run()).toMatchObject({ exitCode: 1, error: expect.stringContaining("Usage:") });
  });
});
