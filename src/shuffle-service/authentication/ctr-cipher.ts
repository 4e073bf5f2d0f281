import { createCipheriv, createDecipheriv } from "node:crypto";
import type { SessionKeys } from "./key-exchange.ts";
import type { TransportCipher } from "./transport-cipher.ts";

/** Encrypts a connection by AES/CTR: one key stream for each direction. Source: Spark CtrTransportCipher. */
export function ctrCipher({ key, inputIv, outputIv }: SessionKeys): TransportCipher {
  const name = key.length === 32 ? "aes-256-ctr" : "aes-128-ctr";
  const toClient = createCipheriv(name, key, inputIv);
  const fromClient = createDecipheriv(name, key, outputIv);
  return {
    maxPlainBytes: Number.POSITIVE_INFINITY,
    encrypt: (plain) => [toClient.update(plain)],
    decrypt: (piece) => [fromClient.update(piece)],
  };
}
