import fc from "fast-check";
import { expect, test } from "vitest";
import { signToken, verifyToken } from "./bundle-token.ts";

const key = { kid: "2026-01", secret: Buffer.alloc(32, 1) };
const keys = { newest: () => key, find: (kid: string) => (kid === key.kid ? key : undefined) };
const claims = { bundle: "b", ns: "team", exp: 1000, jti: "j" };

test("returns the claims of a token until the token expires", () => {
  const token = signToken(key, claims);
  expect(verifyToken(keys, token, 999_999)).toMatchObject(claims);
  expect(verifyToken(keys, token, 1_000_000)).toBeUndefined();
});

test("rejects the token of another key or of a removed key", () => {
  const other = { ...key, secret: Buffer.alloc(32, 2) };
  expect(verifyToken(keys, signToken(other, claims), 0)).toBeUndefined();
  expect(verifyToken(keys, signToken({ ...key, kid: "removed" }, claims), 0)).toBeUndefined();
});

test("rejects a token that is signed with an all-zero secret for an unknown key", () => {
  const empty = { kid: "removed", secret: new Uint8Array(32) };
  expect(verifyToken(keys, signToken(empty, claims), 0)).toBeUndefined();
});

test("rejects a token in which any character is changed", () => {
  const token = signToken(key, claims);
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom(..."AQgw09-_."), (at, character) => {
      const changed = token.slice(0, at) + character + token.slice(at + 1);
      fc.pre(changed !== token);
      expect(verifyToken(keys, changed, 0)).toBeUndefined();
    }),
  );
});
