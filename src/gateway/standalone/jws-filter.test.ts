import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { checkAuthorization } from "./jws-filter.ts";

const key = Buffer.alloc(32, 7);
const nowMs = 1_000_000;
const hashes = new Map([
  ["HS256", "sha256"],
  ["HS512", "sha512"],
]);

function token(claims: object, header: { alg: string; crit?: string[] } = { alg: "HS256" }, signingKey = key): string {
  const parts = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const hash = hashes.get(header.alg);
  return `${parts}.${hash === undefined ? "" : createHmac(hash, signingKey).update(parts).digest("base64url")}`;
}

const check = (header: string | undefined) => checkAuthorization(header, { key, nowMs });

describe("checkAuthorization", () => {
  test("accepts a signed token, with the scheme in any case", () => {
    expect(check(`Bearer ${token({})}`)).toBeUndefined();
    expect(check(`bearer ${token({ exp: 1_000, nbf: 1_000 })}`)).toBeUndefined();
  });

  test.each([
    [undefined, "Authorization header is missing."],
    ["Basic YTpi", "Malformed Authorization header."],
    ["Bearer", "Malformed Authorization header."],
    ["Bearer x.y.z", "JWT Validate Fail"],
    [`Bearer ${token({}, { alg: "none" })}`, "JWT Validate Fail"],
    [`Bearer ${token({}, { alg: "HS512" })}`, "JWT Validate Fail"],
    [`Bearer ${token({}, { alg: "HS256", crit: ["x"] })}`, "JWT Validate Fail"],
    [`Bearer ${token({}, { alg: "HS256" }, Buffer.alloc(32, 8))}`, "JWT Validate Fail"],
    [`Bearer ${token({ exp: 999 })}`, "JWT Validate Fail"],
    [`Bearer ${token({ nbf: 1_001 })}`, "JWT Validate Fail"],
    [`Bearer ${token({})}.more`, "JWT Validate Fail"],
  ])("rejects %s", (header, reason) => {
    expect(check(header)).toBe(reason);
  });
});
