import { expect, test } from "vitest";
import { testClock } from "../../host/test-clock.ts";
import { testHost } from "../../host/test-host.ts";
import { openSealedValues } from "./sealed-values.ts";

function hostWith(key: string | undefined) {
  return { ...testHost({ files: key === undefined ? {} : { "/key": key } }), clock: testClock(0) };
}

const key = "k".repeat(32);

test("a value is opened by every gateway with the key, until it expires", async () => {
  const host = hostWith(key);
  const sealed = openSealedValues(host, "/key").seal("session", { user: "alice" }, 1000);
  expect(sealed).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(Buffer.from(sealed, "base64url").toString("latin1")).not.toContain("alice");
  const other = openSealedValues(host, "/key");
  expect(other.open("session", sealed)).toEqual({ user: "alice" });
  await host.clock.advance(1000);
  expect(other.open("session", sealed)).toBeUndefined();
});

test("a value of another purpose or key, or a changed one, is not opened", () => {
  const values = openSealedValues(hostWith(key), "/key");
  const sealed = values.seal("session", 1, 1000);
  expect(values.open("login", sealed)).toBeUndefined();
  expect(openSealedValues(hostWith("x".repeat(32)), "/key").open("session", sealed)).toBeUndefined();
  const bytes = Buffer.from(sealed, "base64url");
  for (const at of [0, 20, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(values.open("session", changed.toString("base64url"))).toBeUndefined();
  }
  expect(["", "abc", "%"].map((text) => values.open("session", text))).toEqual([undefined, undefined, undefined]);
});

test.each([
  [undefined, "it does not exist"],
  [" \n", "it is empty"],
  ["short", "it has less than 32 bytes"],
])("a key file with %j is rejected", (content, reason) => {
  const error = {
    code: "SUBMIT_ERR_GATEWAY_FILE",
    message: `Cannot use the file /key of --session-key-file: ${reason}.`,
  };
  expect(() => openSealedValues(hostWith(content), "/key")).toThrow(expect.objectContaining(error));
});
