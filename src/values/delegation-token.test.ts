import { describe, expect, test } from "vitest";
import {
  type DelegationToken,
  parseTokenIdentifier,
  parseTokenStorage,
  parseTokenText,
  printTokenStorage,
  printTokenText,
} from "./delegation-token.ts";

/** Token that a name node of Hadoop 3.5.0 issued for `service=1.2.3.4:8020`. */
const issued =
  "HQADYW5uBmhhZG9vcACKAaIk20DVigGiSOfE1QICFEm97KTMuv6fxSJpLPGKxpjHl54gEldFQkhERlMgZGVsZWdhdGlvbgwxLjIuMy40OjgwMjA";

const token: DelegationToken = {
  identifier: Buffer.alloc(200, 7),
  password: Buffer.from("secret"),
  kind: "HDFS_DELEGATION_TOKEN",
  service: "ha-hdfs:ns",
};

describe("a token", () => {
  test("of Hadoop is parsed, with its identifier, and printed again", () => {
    const parsed = parseTokenText(issued);
    expect(parsed).toMatchObject({ kind: "WEBHDFS delegation", service: "1.2.3.4:8020" });
    expect(parsed.password).toHaveLength(20);
    expect(parseTokenIdentifier(parsed.identifier)).toEqual({
      ...{ owner: "ann", renewer: "hadoop", realUser: "" },
      ...{ issuedMs: 1_795_914_678_485, maxMs: 1_796_519_478_485, sequenceNumber: 2 },
    });
    expect(printTokenText(parsed)).toBe(issued);
  });

  test.each([
    ["", "it ends too early"],
    [issued.slice(0, 30), "it ends too early"],
    [`${issued}AAAA`, "it has more bytes than a token"],
    ["gA", "a length is negative"],
  ])("is not read from %j", (text, message) => {
    expect(() => parseTokenText(text)).toThrow(message);
  });

  test("has no identity with an identifier of another kind", () => {
    expect(() => parseTokenIdentifier(Uint8Array.of(10, 1))).toThrow("its identifier has version 10");
  });
});

describe("a token file", () => {
  const credentials = {
    tokens: new Map([
      ["ha-hdfs:ns", token],
      ["10.0.0.1:8020", { ...token, service: "10.0.0.1:8020" }],
    ]),
    secrets: new Map([["key", Buffer.alloc(70_000, 1)]]),
  };

  test.each([0, 1] as const)("of version %d is read as it was written", (version) => {
    const bytes = printTokenStorage(credentials, version);
    expect(bytes.subarray(0, 5).toString("latin1")).toBe(`HDTS${String.fromCharCode(version)}`);
    expect(parseTokenStorage(bytes)).toEqual({
      tokens: credentials.tokens,
      secrets: credentials.secrets,
    });
  });

  test.each([
    ["garbage!", "Bad header found in token storage."],
    ["HDTS\x02", "Unknown version 2 in token storage."],
    ["HDTS\0\x01\x05ali", "it ends too early"],
    ["HDTS\x01\x05", "it ends too early"],
    ["HDTS\x01\x02\x08\x01", "a field of wire type 0 is not expected"],
  ])("%j is rejected", (text, message) => {
    expect(() => parseTokenStorage(Buffer.from(text, "latin1"))).toThrow(message);
  });

  test.each([0, 1] as const)("of version %d that is cut anywhere is rejected", (version) => {
    const bytes = printTokenStorage({ ...credentials, secrets: new Map([["key", Buffer.from("x")]]) }, version);
    for (let length = 0; length < bytes.length; length += 1)
      expect(() => parseTokenStorage(bytes.subarray(0, length)), `${length}`).toThrow();
  });
});
