import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { runDemoCommand } from "./demo.ts";

test.each([
  [["scala"], /Invalid value 'scala' for demo; allowed: pi, java/],
  [["pi", "many"], /Invalid value 'many' for SLICES/],
  [["0"], /Invalid value '0' for SLICES/],
  [["pi", "1", "2"], /Unrecognized option: 2/],
])("firesteel demo %j is rejected before a download or a start", async (args, message) => {
  await expect(runDemoCommand(testHost(), args)).rejects.toThrow(message);
});

test("firesteel demo -h prints usage", async () => {
  const host = testHost();
  expect(await runDemoCommand(host, ["-h"])).toBe(0);
  expect(host.outText()).toMatch(/^Usage: firesteel demo/);
});
