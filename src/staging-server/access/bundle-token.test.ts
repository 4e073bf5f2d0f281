import fc from "fast-check";
import { expect, test } from "vitest";
import { signToken, verifyToken } from "./bundle-token.ts";

const key = { kid: "2026-01", secret: Buffer.alloc(32, 1) };
const keys = { newest: () => key, find: (kid: string) => (kid === key.kid ? key : undefined) };
const claims = { bundle: "b", ns: "team", exp: 1000, jti: "j" };

test("a token says what it was signed for, until its time is over", () => {
  const token = signToken(key, claims);
  expect(verifyToken(keys, token, 999_999)).toMatchObject(claims);
  expect(verifyToken(keys, token, 1_000_000)).toBeUndefined();
});

test("the token of another key, or of a key that is gone, is none", () => {
  const other = { ...key, secret: Buffer.alloc(32, 2) };
  expect(verifyToken(keys, signToken(other, claims), 0)).toBeUndefined();
  expect(verifyToken(keys, signToken({ ...key, kid: "gone" }, claims), 0)).toBeUndefined();
});

test("a key without content is no secret that a stranger may guess", () => {
  const empty = { kid: "gone", secret: new Uint8Array(32) };
  expect(verifyToken(keys, signToken(empty, claims), 0)).toBeUndefined();
});

test("no token with a changed character is one", () => {
  const token = signToken(key, claims);
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom(..."AQgw09-_."), (at, character) => {
      const changed = token.slice(0, at) + character + token.slice(at + 1);
      fc.pre(changed !== token);
      expect(verifyToken(keys, changed, 0)).toBeUndefined();
    }),
  );
});
