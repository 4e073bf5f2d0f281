import { createHash, randomBytes } from "node:crypto";
import { sizedBytes, string, uint8 } from "../protocol/byte-writer.ts";
import type { AuthenticationOptions } from "./authenticator.ts";
import { ctrCipher } from "./ctr-cipher.ts";
import { type Protection, saslKeys, saslPassword } from "./digest-md5.ts";
import { gcmCipher } from "./gcm-cipher.ts";
import {
  type AuthEngineVersion,
  encodeKeyExchange,
  openPublicKey,
  parseKeyExchange,
  privateKeyOf,
  publicKeyOf,
  sealPublicKey,
  sessionKeys,
  sharedSecret,
} from "./key-exchange.ts";
import { saslCipher } from "./sasl-encryption.ts";
import type { TransportCipher } from "./transport-cipher.ts";

/** The client's side of a handshake: sends messages by `call`, and returns the cipher of the connection. */
export type TestHandshake = (
  call: (message: Buffer) => Promise<Buffer>,
  appId: string,
  secret: string,
) => Promise<TransportCipher | undefined>;

/** The authentication modes of Spark, with their client. */
export const testHandshakes: Readonly<Record<string, TestHandshake>> = {
  sasl: testSasl("auth"),
  "sasl-encrypt": testSasl("auth-conf"),
  "aes-ctr-1": testKeyExchange("ctr", 1),
  "aes-ctr-2": testKeyExchange("ctr", 2),
  "aes-gcm-1": testKeyExchange("gcm", 1),
  "aes-gcm-2": testKeyExchange("gcm", 2),
};

/** Options of the service for one of these modes. */
export function testAuthentication(mode: string, secretOf: AuthenticationOptions["secretOf"]): AuthenticationOptions {
  const [, cipher, version] = mode.split("-");
  const isAes = mode.startsWith("aes");
  return {
    ...{ secretOf, acceptsSasl: true, saslAlwaysEncrypts: false, maxEncryptedBlockBytes: 64 * 1024 },
    aes: isAes ? { cipher: cipher === "gcm" ? "gcm" : "ctr", version: version === "2" ? 2 : 1 } : undefined,
    ...{ maxMessageBytes: 64 * 1024 * 1024, random: { bytes: randomBytes } },
  };
}

/** Builds SASL messages. */
export function testSaslMessage(appId: string, token: Buffer): Buffer {
  return Buffer.concat([uint8(0xea), string(appId), sizedBytes(token)]);
}

/** Builds the response to a digest challenge, as Java does. */
export function testDigestResponse(challenge: string, secret: string, protection: Protection) {
  const md5 = (...parts: readonly (string | Buffer)[]) =>
    createHash("md5")
      .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
      .digest();
  const nonce = /nonce="([^"]+)"/.exec(challenge)?.[1] ?? "";
  const [user, cnonce] = ["c3BhcmtTYXNsVXNlcg==", "b2ZmZXI="];
  const session = md5(md5(`${user}:default:${saslPassword(secret)}`), `:${nonce}:${cnonce}`);
  const uri = `null/default${protection === "auth" ? "" : `:${"0".repeat(32)}`}`;
  const digest = (method: string) => {
    const middle = `${nonce}:00000001:${cnonce}:${protection}`;
    return md5(`${session.toString("hex")}:${middle}:${md5(`${method}:${uri}`).toString("hex")}`).toString("hex");
  };
  const cipher = protection === "auth" ? "" : ',cipher="3des"';
  const text = `charset=utf-8,username="${user}",realm="default",nonce="${nonce}",nc=00000001,cnonce="${cnonce}",digest-uri="null/default",maxbuf=65536,response=${digest("AUTHENTICATE")},qop=${protection}${cipher}`;
  return { text, proof: `rspauth=${digest("")}`, session };
}

function testSasl(protection: Protection): TestHandshake {
  return async (call, appId, secret) => {
    const challenge = await call(testSaslMessage(appId, Buffer.alloc(0)));
    const { text, proof, session } = testDigestResponse(challenge.toString(), secret, protection);
    const found = await call(testSaslMessage(appId, Buffer.from(text)));
    if (found.toString() !== proof) throw new Error("The service does not know the secret.");
    const { fromClient, toClient } = saslKeys(session);
    return protection === "auth" ? undefined : saslCipher({ toPeer: fromClient, fromPeer: toClient }, 64 * 1024);
  };
}

function testKeyExchange(name: "ctr" | "gcm", version: AuthEngineVersion): TestHandshake {
  return async (call, appId, secret) => {
    const own = privateKeyOf(randomBytes(32));
    const salt = randomBytes(16);
    const none = Buffer.alloc(0);
    const sealed = sealPublicKey({ secret, appId, salt, transcript: none }, publicKeyOf(own), randomBytes(12));
    const request = encodeKeyExchange(appId, salt, sealed);
    const response = await call(request);
    const message = parseKeyExchange(response);
    const peer = openPublicKey({ secret, appId, salt: message.salt, transcript: request }, message.ciphertext);
    const shared = peer === undefined ? undefined : sharedSecret(own, peer);
    if (shared === undefined) throw new Error("The service does not know the secret.");
    const { key, inputIv, outputIv } = sessionKeys(shared, Buffer.concat([request, response]), version);
    const swapped = { key, inputIv: outputIv, outputIv: inputIv };
    return name === "ctr" ? ctrCipher(swapped) : gcmCipher({ key, maxMessageBytes: 2 ** 30, randomOf: randomBytes });
  };
}
