import { hkdfSync } from "node:crypto";

/** Inputs of a key derivation. */
interface HkdfInput {
  readonly key: Uint8Array;
  readonly salt: Uint8Array;
  readonly info: Uint8Array | string;
  readonly sizeBytes: number;
}

/** Derives a key by HKDF with SHA-256. Source: RFC 5869. */
export function hkdf({ key, salt, info, sizeBytes }: HkdfInput): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, info, sizeBytes));
}
