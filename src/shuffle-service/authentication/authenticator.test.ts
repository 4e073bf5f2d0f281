import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MalformedMessage } from "../protocol/malformed-message.ts";
import { authenticator } from "./authenticator.ts";
import { saslPassword } from "./digest-md5.ts";
import { testAuthentication, testDigestResponse, testHandshakes, testSaslMessage } from "./test-handshakes.ts";
import type { TransportCipher } from "./transport-cipher.ts";

/** Base64 of the first 57 bytes of a text of repeated letters, by Spark's encodePassword. */
const line = "YWJjZGVmZ2hpamFiY2RlZmdoaWphYmNkZWZnaGlqYWJjZGVmZ2hpamFiY2RlZmdoaWphYmNkZWZn";

const secretOf = (appId: string) => (appId === "unknown" ? undefined : `secret of ${appId}`);

/** Runs a handshake. Returns both ciphers, or the error text of the service. */
async function connect(mode: string, appId: string, secret: string, serverMode = mode) {
  const { step } = authenticator(testAuthentication(serverMode, secretOf));
  const found: { appId?: string; server?: TransportCipher | undefined } = {};
  const client = await testHandshakes[mode]?.(
    async (message) => {
      const result = step(message);
      if (result.kind === "failed") throw new Error(result.error);
      if (result.kind === "done") Object.assign(found, { appId: result.appId, server: result.cipher });
      return result.response;
    },
    ...([appId, secret] as const),
  );
  return { ...found, client };
}

describe.each(Object.keys(testHandshakes))("%s", (mode) => {
  test("proves the application and encrypts both directions", async () => {
    const { appId, server, client } = await connect(mode, "app-1", "secret of app-1");
    expect(appId).toBe("app-1");
    expect(server === undefined).toBe(mode === "sasl");
    if (server === undefined || client === undefined) return;
    const sizes = [1, 8, 15, 16, 100, 32_751, 32_752, 32_753, 65_535, 65_536, 65_537, 200_000, 1];
    for (const [from, to] of [
      [server, client],
      [client, server],
    ] as const) {
      const plain = sizes.map((size) => randomBytes(size));
      const sealed = Buffer.concat(plain.flatMap((piece) => from.encrypt(piece)));
      const opened: Buffer[] = [];
      for (let start = 0; start < sealed.length; start += 9973) {
        opened.push(...to.decrypt(sealed.subarray(start, start + 9973)).map((piece) => Buffer.from(piece)));
      }
      expect(Buffer.concat(opened).equals(Buffer.concat(plain))).toBe(true);
    }
  });

  test("rejects a wrong secret and an unknown application with the same text", async () => {
    const text = "java.lang.IllegalArgumentException: Authentication failed.";
    await expect(connect(mode, "app-1", "other secret")).rejects.toThrow(text);
    await expect(connect(mode, "unknown", "other secret")).rejects.toThrow(text);
  });
});

test.each(["aes-ctr-1", "aes-gcm-2"])("a service with %s accepts SASL, unless the fallback is off", async (mode) => {
  expect((await connect("sasl", "app-1", "secret of app-1", mode)).appId).toBe("app-1");
  const { step } = authenticator({ ...testAuthentication(mode, secretOf), acceptsSasl: false });
  const result = step(testSaslMessage("app-1", Buffer.alloc(0)));
  expect(result).toMatchObject({ kind: "failed", error: expect.stringContaining("Unknown challenge message.") });
});

test("a service with SASL rejects a key exchange", async () => {
  await expect(connect("aes-ctr-1", "app-1", "secret of app-1", "sasl")).rejects.toThrow("Unknown challenge message.");
});

test.each(["aes-gcm-1", "sasl-encrypt"])("a changed byte of %s is rejected", async (mode) => {
  const { server, client } = await connect(mode, "app-1", "secret of app-1");
  const sealed = Buffer.concat(client?.encrypt(Buffer.from("some text that is longer than a block")) ?? []);
  sealed.writeUInt8(sealed.readUInt8(60) ^ 1, 60);
  expect(() => server?.decrypt(sealed)).toThrow(MalformedMessage);
});

test("a repeated block of SASL is rejected", async () => {
  const { server, client } = await connect("sasl-encrypt", "app-1", "secret of app-1");
  const sealed = Buffer.concat(client?.encrypt(Buffer.from("text")) ?? []);
  expect(server?.decrypt(sealed)).toHaveLength(1);
  expect(() => server?.decrypt(sealed)).toThrow("unexpected sequence number");
});

test.each([
  [57, line],
  [58, `${line}\naA==`],
  [115, `${line}\naGlqYWJjZGVmZ2hpamFiY2RlZmdoaWphYmNkZWZnaGlqYWJjZGVmZ2hpamFiY2RlZmdoaWphYmNk\nZQ==`],
])("the password of a secret of %d bytes is that of Spark", (length, password) => {
  expect(saslPassword("abcdefghij".repeat(12).slice(0, length))).toBe(password);
});

describe("a digest response", () => {
  const start = () => {
    const { step } = authenticator({ ...testAuthentication("sasl", secretOf) });
    const challenge = step(testSaslMessage("app-1", Buffer.alloc(0)));
    if (challenge.kind !== "continue") throw new Error(challenge.kind);
    const { text } = testDigestResponse(challenge.response.toString(), "secret of app-1", "auth");
    return { text, respond: (changed: string) => step(testSaslMessage("app-1", Buffer.from(changed))).kind };
  };

  test.each([
    ["another nonce", (text: string) => text.replace(/(?<!c)nonce="/, "$&x")],
    ["another use of the nonce", (text: string) => text.replace("nc=00000001", "nc=00000002")],
    ["another realm", (text: string) => text.replace('realm="default"', 'realm="other"')],
    ["another address", (text: string) => text.replace("null/default", "null/other")],
    ["another user", (text: string) => text.replace('username="', 'username="a')],
    ["another quality of protection", (text: string) => text.replace("qop=auth", "qop=auth-int")],
    ["a cipher that is not offered", (text: string) => text.replace("qop=auth", "qop=auth-conf,cipher=rc4")],
    ["a field twice", (text: string) => `${text},realm="default"`],
    ["no digest", (text: string) => text.replace(/response=\w+,/, "")],
    ["a quote that does not end", (text: string) => `${text},x="`],
    ["too many bytes", (text: string) => `${text},x="${"y".repeat(5000)}"`],
  ])("with %s is rejected", (_name, change) => {
    const { text, respond } = start();
    expect(respond(change(text))).toBe("failed");
  });

  test("as Java sends it is accepted", () => {
    const { text, respond } = start();
    expect(respond(text)).toBe("done");
  });

  test("without encryption is rejected if the service always encrypts", () => {
    const { step } = authenticator({ ...testAuthentication("sasl", secretOf), saslAlwaysEncrypts: true });
    const challenge = step(testSaslMessage("app-1", Buffer.alloc(0)));
    if (challenge.kind !== "continue") throw new Error(challenge.kind);
    expect(challenge.response.toString()).toContain('qop="auth-conf"');
    const { text } = testDigestResponse(challenge.response.toString(), "secret of app-1", "auth");
    expect(step(testSaslMessage("app-1", Buffer.from(text))).kind).toBe("failed");
  });
});

test("any bytes end a handshake without an exception", { tags: "long" }, () => {
  const first = fc.constantFrom(0xea, 0xfb, 3);
  fc.assert(
    fc.property(
      fc.constantFrom("sasl", "aes-ctr-1", "aes-gcm-2"),
      first,
      fc.uint8Array({ maxLength: 120 }),
      (mode, tag, bytes) => {
        const { step } = authenticator(testAuthentication(mode, secretOf));
        expect(["failed", "continue"]).toContain(step(Buffer.from([tag, ...bytes])).kind);
        expect(step(Buffer.from([tag, ...bytes])).kind).not.toBe("done");
      },
    ),
  );
});

test("any encrypted bytes are decrypted or rejected as malformed", { tags: "long" }, async () => {
  const modes = Object.keys(testHandshakes).filter((mode) => mode !== "sasl");
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...modes),
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      async (mode, bytes) => {
        const { server } = await connect(mode, "app-1", "secret of app-1");
        // A length within the limit, so that the content is reached.
        const message = Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, 0, 8 + bytes.length]), bytes]);
        try {
          server?.decrypt(message);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessage);
        }
      },
    ),
    { numRuns: 200 },
  );
});
