import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  type KeyObject,
} from "node:crypto";
import { ByteReader } from "../protocol/byte-reader.ts";
import { sizedBytes, string, uint8 } from "../protocol/byte-writer.ts";
import { hkdf } from "./hkdf.ts";

/** Version of Spark's key exchange, `spark.network.crypto.authEngineVersion`. They differ in the session key. */
export type AuthEngineVersion = 1 | 2;

/** First byte of a key exchange message. Source: Spark AuthMessage. */
export const keyExchangeTag = 0xfb;
const saltBytes = 16;
const nonceBytes = 12;
const keyBytes = 16;
const publicKeyBytes = 32;
const tagBytes = 16;

/** Keys of a connection, with the names of the code of Spark: seen from the client. */
export interface SessionKeys {
  readonly key: Buffer;
  /** Initial vector of what the service sends. */
  readonly inputIv: Buffer;
  /** Initial vector of what the client sends. */
  readonly outputIv: Buffer;
}

/** Parsed message of a key exchange. */
interface KeyExchangeMessage {
  readonly appId: string;
  readonly salt: Buffer;
  readonly ciphertext: Buffer;
}

/** Parses a key exchange message. @throws MalformedMessage */
export function parseKeyExchange(body: Buffer): KeyExchangeMessage {
  const reader = new ByteReader(body);
  reader.uint8();
  return { appId: reader.string(), salt: reader.bytes(), ciphertext: reader.bytes() };
}

/** Inputs of the service's side of a key exchange. */
interface KeyExchangeInput {
  /** The client's complete encoded message. */
  readonly request: Buffer;
  readonly secret: string;
  readonly version: AuthEngineVersion;
  readonly randomOf: (count: number) => Uint8Array;
}

/**
 * Accepts a client's key exchange message and builds the response. Returns `undefined` if the client does not know the secret.
 *
 * Source: Spark AuthEngine, common/network-common/…/crypto/README.md.
 */
export function acceptKeyExchange(
  input: KeyExchangeInput,
): { readonly response: Buffer; readonly keys: SessionKeys } | undefined {
  const { request, secret, version, randomOf } = input;
  const { appId, salt, ciphertext } = parseKeyExchange(request);
  const clientKey = openPublicKey({ secret, appId, salt, transcript: noBytes }, ciphertext);
  if (clientKey === undefined) return undefined;
  const privateKey = privateKeyOf(randomOf(publicKeyBytes));
  const own = { secret, appId, salt: Buffer.from(randomOf(saltBytes)), transcript: request };
  const sealed = sealPublicKey(own, publicKeyOf(privateKey), randomOf(nonceBytes));
  const response = encodeKeyExchange(appId, own.salt, sealed);
  const shared = sharedSecret(privateKey, clientKey);
  if (shared === undefined) return undefined;
  return { response, keys: sessionKeys(shared, Buffer.concat([request, response]), version) };
}

/** Encodes a key exchange message. */
export function encodeKeyExchange(appId: string, salt: Buffer, ciphertext: Buffer): Buffer {
  return Buffer.concat([uint8(keyExchangeTag), string(appId), sizedBytes(salt), sizedBytes(ciphertext)]);
}

/** Derives the keys of a connection from the shared secret and both messages. */
export function sessionKeys(shared: Buffer, transcript: Buffer, version: AuthEngineVersion): SessionKeys {
  const derive = (info: string) => hkdf({ key: shared, salt: transcript, info, sizeBytes: keyBytes });
  return {
    key: version === 1 ? shared : derive("derivedKey"),
    inputIv: derive("inputIv"),
    outputIv: derive("outputIv"),
  };
}

/** Values that bind an encrypted public key to one message of the exchange. */
interface SealContext {
  readonly secret: string;
  readonly appId: string;
  readonly salt: Buffer;
  /** Earlier messages of the exchange. */
  readonly transcript: Buffer;
}

/** Encrypts a public key by a key that only a holder of the secret can derive. */
export function sealPublicKey(context: SealContext, publicKey: Buffer, nonce: Uint8Array): Buffer {
  const { key, additionalData } = sealKey(context);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  cipher.setAAD(additionalData);
  return Buffer.concat([nonce, cipher.update(publicKey), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts a public key. Returns `undefined` if it was encrypted with another secret. */
export function openPublicKey(context: SealContext, ciphertext: Buffer): Buffer | undefined {
  if (context.salt.length !== saltBytes || ciphertext.length !== nonceBytes + publicKeyBytes + tagBytes)
    return undefined;
  const { key, additionalData } = sealKey(context);
  const cipher = createDecipheriv("aes-128-gcm", key, ciphertext.subarray(0, nonceBytes));
  cipher.setAAD(additionalData);
  cipher.setAuthTag(ciphertext.subarray(-tagBytes));
  const plain = cipher.update(ciphertext.subarray(nonceBytes, -tagBytes));
  try {
    cipher.final();
    return plain;
  } catch {
    return undefined;
  }
}

function sealKey({ secret, appId, salt, transcript }: SealContext) {
  const additionalData = Buffer.concat([Buffer.from(appId, "utf8"), salt, transcript]);
  const key = hkdf({ key: Buffer.from(secret, "utf8"), salt, info: additionalData, sizeBytes: keyBytes });
  return { key, additionalData };
}

const noBytes = Buffer.alloc(0);
/** PKCS#8 and SubjectPublicKeyInfo of an X25519 key, before its 32 bytes. Source: RFC 8410. */
const privateKeyPrefix = Buffer.from("302e020100300506032b656e04220420", "hex");
const publicKeyPrefix = Buffer.from("302a300506032b656e032100", "hex");

/** Builds an X25519 key from 32 random bytes. */
export function privateKeyOf(bytes: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([privateKeyPrefix, bytes]), format: "der", type: "pkcs8" });
}

/** Returns the 32 bytes of the public key. */
export function publicKeyOf(privateKey: KeyObject): Buffer {
  return createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-publicKeyBytes);
}

/** Computes the shared secret; `undefined` if the peer's key is a point of low order. */
export function sharedSecret(privateKey: KeyObject, peer: Buffer): Buffer | undefined {
  const key = Buffer.concat([publicKeyPrefix, peer]);
  try {
    return diffieHellman({ privateKey, publicKey: createPublicKey({ key, format: "der", type: "spki" }) });
  } catch {
    return undefined;
  }
}
