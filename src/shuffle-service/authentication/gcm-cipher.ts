import { createCipheriv, createDecipheriv } from "node:crypto";
import { int64 } from "../protocol/byte-writer.ts";
import { LengthPrefixedReader } from "../protocol/length-prefixed-reader.ts";
import { MalformedMessage } from "../protocol/malformed-message.ts";
import { hkdf } from "./hkdf.ts";
import type { TransportCipher } from "./transport-cipher.ts";

const noncePrefixBytes = 7;
const tagBytes = 16;
/** Encrypted bytes of every segment but the last. */
const segmentBytes = 32 * 1024;
const plainSegmentBytes = segmentBytes - tagBytes;

/** Inputs of an AES/GCM connection. */
interface GcmInput {
  readonly key: Buffer;
  /** Largest plain content of a client's message. */
  readonly maxMessageBytes: number;
  readonly randomOf: (count: number) => Uint8Array;
}

/**
 * Encrypts a connection by AES/GCM: each message has its own key and consists of segments, as in Tink's AES-GCM-HKDF streaming.
 *
 * Source: Spark GcmTransportCipher.
 */
export function gcmCipher({ key, maxMessageBytes, randomOf }: GcmInput): TransportCipher {
  const overheadBytes = Math.ceil(maxMessageBytes / plainSegmentBytes + 1) * tagBytes + headerBytes(key);
  const messages = new LengthPrefixedReader(maxMessageBytes + overheadBytes);
  return {
    maxPlainBytes: 1024 * 1024,
    encrypt: (plain) => sealMessage(key, plain, randomOf),
    decrypt(piece) {
      messages.push(piece);
      const plain: Buffer[] = [];
      for (let message = messages.next(); message !== undefined; message = messages.next()) {
        plain.push(...openMessage(key, message));
      }
      return plain;
    },
  };
}

function headerBytes(key: Buffer): number {
  return 1 + key.length + noncePrefixBytes;
}

function sealMessage(key: Buffer, plain: Buffer, randomOf: GcmInput["randomOf"]): readonly Buffer[] {
  const segments = Math.ceil(plain.length / plainSegmentBytes);
  const length = int64(BigInt(8 + headerBytes(key) + plain.length + segments * tagBytes));
  const salt = Buffer.from(randomOf(key.length));
  const prefix = Buffer.from(randomOf(noncePrefixBytes));
  const segmentKey = segmentKeyOf(key, salt, length);
  const parts = [Buffer.concat([length, Buffer.from([headerBytes(key)]), salt, prefix])];
  for (let index = 0; index < segments; index += 1) {
    const start = index * plainSegmentBytes;
    const nonce = nonceOf(prefix, index, index === segments - 1);
    const cipher = createCipheriv(algorithmOf(key), segmentKey, nonce);
    parts.push(cipher.update(plain.subarray(start, start + plainSegmentBytes)));
    cipher.final();
    parts.push(cipher.getAuthTag());
  }
  return parts;
}

/** Decrypts a message without its length. */
function openMessage(key: Buffer, message: Buffer): readonly Buffer[] {
  const header = headerBytes(key);
  if (message.length < header || message[0] !== header) {
    throw new MalformedMessage("An encrypted message has an invalid header.");
  }
  const salt = message.subarray(1, 1 + key.length);
  const prefix = message.subarray(1 + key.length, header);
  const segmentKey = segmentKeyOf(key, salt, int64(BigInt(8 + message.length)));
  const body = message.subarray(header);
  const segments = Math.ceil(body.length / segmentBytes);
  return Array.from({ length: segments }, (_, index) => {
    const segment = body.subarray(index * segmentBytes, (index + 1) * segmentBytes);
    const nonce = nonceOf(prefix, index, index === segments - 1);
    if (segment.length < tagBytes) throw new MalformedMessage("An encrypted segment is too short.");
    const cipher = createDecipheriv(algorithmOf(key), segmentKey, nonce);
    cipher.setAuthTag(segment.subarray(-tagBytes));
    const plain = cipher.update(segment.subarray(0, -tagBytes));
    try {
      cipher.final();
    } catch {
      throw new MalformedMessage("An encrypted segment has a wrong authentication tag.");
    }
    return plain;
  });
}

function segmentKeyOf(key: Buffer, salt: Buffer, length: Buffer): Buffer {
  return hkdf({ key, salt, info: length, sizeBytes: key.length });
}

function nonceOf(prefix: Buffer, index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  prefix.copy(nonce);
  nonce.writeUInt32BE(index, noncePrefixBytes);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}

function algorithmOf(key: Buffer): "aes-128-gcm" | "aes-256-gcm" {
  return key.length === 32 ? "aes-256-gcm" : "aes-128-gcm";
}
