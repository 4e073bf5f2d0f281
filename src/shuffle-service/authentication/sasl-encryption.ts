import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from "node:crypto";
import { int32, int64 } from "../protocol/byte-writer.ts";
import { LengthPrefixedReader } from "../protocol/length-prefixed-reader.ts";
import { MalformedMessage } from "../protocol/malformed-message.ts";
import type { SaslKeys } from "./digest-md5.ts";
import type { TransportCipher } from "./transport-cipher.ts";

const macBytes = 10;
const desBlockBytes = 8;
/** Message type and sequence number after the encrypted part. */
const trailerBytes = 6;
const tokenType = Buffer.from([0, 1]);
/** Largest block from a client. Spark's default is 64 KiB; `spark.network.sasl.maxEncryptedBlockSize` of the client sets it. */
const maxBlockBytes = 16 * 1024 * 1024;

/** Keys of both directions, seen from one side. */
interface PeerKeys {
  readonly toPeer: SaslKeys;
  readonly fromPeer: SaslKeys;
}

/**
 * Encrypts a connection by SASL DIGEST-MD5 with auth-conf and 3des: blocks of a length and a wrapped token.
 *
 * Source: RFC 2831 2.4; Spark SaslEncryption.
 */
export function saslCipher({ toPeer, fromPeer }: PeerKeys, maxEncryptedBlockBytes: number): TransportCipher {
  const wrap = wrapper(toPeer);
  const unwrap = unwrapper(fromPeer);
  const blocks = new LengthPrefixedReader(maxBlockBytes);
  return {
    maxPlainBytes: 64 * 1024,
    encrypt(plain) {
      const parts: Buffer[] = [];
      for (let start = 0; start < plain.length; start += maxEncryptedBlockBytes) {
        const token = wrap(plain.subarray(start, start + maxEncryptedBlockBytes));
        parts.push(int64(BigInt(8 + token.length)), token);
      }
      return parts;
    },
    decrypt(piece) {
      blocks.push(piece);
      const plain: Buffer[] = [];
      for (let token = blocks.next(); token !== undefined; token = blocks.next()) plain.push(unwrap(token));
      return plain;
    },
  };
}

/** Returns a function that wraps messages in order. The cipher continues from message to message. */
function wrapper({ integrity, encryption }: SaslKeys): (message: Buffer) => Buffer {
  const cipher = createCipheriv("des-ede3-cbc", tripleDesKey(encryption), encryption.subarray(-desBlockBytes));
  cipher.setAutoPadding(false);
  let sequence = 0;
  return (message) => {
    const number = int32(sequence | 0);
    const padding = desBlockBytes - ((message.length + macBytes) % desBlockBytes);
    const mac = macOf(integrity, number, message);
    const sealed = cipher.update(Buffer.concat([message, Buffer.alloc(padding, padding), mac]));
    sequence += 1;
    return Buffer.concat([sealed, tokenType, number]);
  };
}

/** Returns a function that checks and unwraps tokens in order. */
function unwrapper({ integrity, encryption }: SaslKeys): (token: Buffer) => Buffer {
  const cipher = createDecipheriv("des-ede3-cbc", tripleDesKey(encryption), encryption.subarray(-desBlockBytes));
  cipher.setAutoPadding(false);
  let sequence = 0;
  return (token) => {
    const sealedBytes = token.length - trailerBytes;
    const number = int32(sequence | 0);
    if (sealedBytes < 2 * desBlockBytes || sealedBytes % desBlockBytes !== 0) {
      throw new MalformedMessage(`Invalid length of an encrypted block: ${token.length}`);
    }
    if (!token.subarray(sealedBytes).equals(Buffer.concat([tokenType, number]))) {
      throw new MalformedMessage("An encrypted block has an unexpected sequence number.");
    }
    const plain = cipher.update(token.subarray(0, sealedBytes));
    const macStart = plain.length - macBytes;
    const padding = plain[macStart - 1] ?? 0;
    const message = plain.subarray(0, Math.max(0, macStart - padding));
    const isPadded = padding >= 1 && padding <= desBlockBytes && padding <= macStart;
    if (!isPadded || !timingSafeEqual(plain.subarray(macStart), macOf(integrity, number, message))) {
      throw new MalformedMessage("An encrypted block has a wrong message authentication code.");
    }
    sequence += 1;
    return message;
  };
}

function macOf(key: Buffer, sequence: Buffer, message: Buffer): Buffer {
  return createHmac("md5", key).update(sequence).update(message).digest().subarray(0, macBytes);
}

/** Builds the key K1, K2, K1 from two 56-bit keys. The lowest bit of each byte is for parity, which the cipher ignores. */
function tripleDesKey(encryption: Buffer): Buffer {
  const [first, second] = [spread(encryption.subarray(0, 7)), spread(encryption.subarray(7, 14))];
  return Buffer.concat([first, second, first]);
}

/** Spreads 56 bits over the upper seven bits of eight bytes. */
function spread(bits: Buffer): Buffer {
  const value = bits.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return Buffer.from(Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(49 - 7 * index)) & 0x7fn) << 1));
}
