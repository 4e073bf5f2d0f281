import { expect, test } from "vitest";
import { nodeHost } from "./node-host.ts";

test("a command that cannot be started tells why, whichever way Node says it", async () => {
  const host = nodeHost();
  const missing = await host.spawn("/no/such/program", []).exited;
  expect(missing).toMatchObject({ code: 127, error: expect.stringContaining("ENOENT") });
  const tooLong = await host.spawn("true", [], { env: { X: "x".repeat(4_000_000) } }).exited;
  expect(tooLong).toMatchObject({ code: 126, error: expect.stringContaining("E2BIG") });
});
