import { crc32 } from "node:zlib";
import type { ChecksumAlgorithm } from "../files/layout.ts";

/** Computes a checksum in pieces. */
export interface Checksum {
  readonly update: (bytes: Buffer) => void;
  readonly value: () => number;
}

/** Starts a checksum of an algorithm of java.util.zip. */
export function startChecksum(algorithm: ChecksumAlgorithm): Checksum {
  switch (algorithm) {
    case "ADLER32":
      return adler32();
    case "CRC32": {
      let value = 0;
      return {
        update(bytes) {
          value = crc32(bytes, value);
        },
        value: () => value,
      };
    }
    case "CRC32C":
      return crc32c();
  }
}

/** Source: RFC 1950. */
function adler32(): Checksum {
  const base = 65_521;
  /** Most bytes whose sums fit into 32 bits. */
  const maxBytes = 5552;
  let [a, b] = [1, 0];
  return {
    update(bytes) {
      for (let start = 0; start < bytes.length; start += maxBytes) {
        const end = Math.min(bytes.length, start + maxBytes);
        for (let index = start; index < end; index += 1) {
          a += bytes[index] ?? 0;
          b += a;
        }
        a %= base;
        b %= base;
      }
    },
    value: () => b * 65_536 + a,
  };
}

/** Source: RFC 3720, appendix B.4: the reflected polynomial of Castagnoli. */
function crc32c(): Checksum {
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0x82f6_3b78 : value >>> 1;
    return value;
  });
  let value = -1;
  return {
    update(bytes) {
      for (const byte of bytes) value = (table[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
    },
    value: () => ~value >>> 0,
  };
}
