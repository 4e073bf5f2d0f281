import { createHash } from "node:crypto";
import type { Host } from "../host/host.ts";

const chunkBytes = 4 * 1024 * 1024;

/** Computes the checksum of a file in hex. Reads the file in chunks. */
export function checksumOf(host: Host, path: string, algorithm: "sha256" | "sha512"): string {
  const hash = createHash(algorithm);
  for (let offset = 0; ; offset += chunkBytes) {
    const chunk = host.files.readRange(path, offset, chunkBytes);
    if (chunk === undefined) throw new Error(`${path} was deleted while it was read`);
    hash.update(chunk);
    if (chunk.length < chunkBytes) return hash.digest("hex");
  }
}
