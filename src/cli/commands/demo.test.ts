import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { runDemoCommand } from "./demo.ts";

test.each([
  [["scala"], /demo cannot be 'scala'; allowed: pi, java/],
  [["pi", "many"], /SLICES cannot be 'many'/],
  [["0"], /SLICES cannot be '0'/],
  [["pi", "1", "2"], /Unrecognized option: 2/],
])("firesteel demo %j is refused before anything is fetched or started", async (args, message) => {
  await expect(runDemoCommand(testHost(), args)).rejects.toThrow(message);
});

test("firesteel demo -h tells how it is used", async () => {
  const host = testHost();
  expect(await runDemoCommand(host, ["-h"])).toBe(0);
  expect(host.outText()).toMatch(/^Usage: firesteel demo/);
});
