import { expect, test } from "vitest";
import { parseHtpasswd } from "./htpasswd.ts";

/** Hashes of the password `secret`: bcrypt with cost 4, and SHA-1 as `htpasswd -s` writes it. */
const bcryptHash = "$2b$04$lQvj2NbR1iQA74UXi00k7.wjynaPJ0A2mMoPTUeDXKe37qZWOnwle";
const sha1Hash = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=";

test.each([
  ["bcrypt", bcryptHash],
  ["SHA-1", sha1Hash],
])("a %s hash verifies its password only", async (_, hash) => {
  const parsed = parseHtpasswd(`# users\n\nalice:${hash}\n`);
  const verify = parsed.ok ? parsed.users.get("alice") : undefined;
  expect(await verify?.("secret")).toBe(true);
  expect(await verify?.("Secret")).toBe(false);
  expect(await verify?.("")).toBe(false);
});

test("a password of more than 72 bytes is not valid: bcrypt ignores the rest", async () => {
  const parsed = parseHtpasswd(`alice:${bcryptHash}`);
  const verify = parsed.ok ? parsed.users.get("alice") : undefined;
  expect(await verify?.(`secret${"x".repeat(80)}`)).toBe(false);
});

test("every invalid line is a problem with its number, and without hashes", () => {
  const text = `alice\n:${sha1Hash}\nbob:$apr1$abc$def\ncarol:plain\ndora:${sha1Hash}\ndora:${sha1Hash}\n`;
  expect(parseHtpasswd(text)).toEqual({
    ok: false,
    problems: [
      "line 1 does not have the form USER:HASH",
      "line 2 does not have the form USER:HASH",
      "line 3 has neither a bcrypt (htpasswd -B) nor a SHA-1 hash (-s)",
      "line 4 has neither a bcrypt (htpasswd -B) nor a SHA-1 hash (-s)",
      "line 6 repeats a user",
    ],
  });
});

test("a file without users is invalid", () => {
  expect(parseHtpasswd("# nothing\n")).toEqual({ ok: false, problems: ["it has no users"] });
});
