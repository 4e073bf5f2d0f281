import { createHash } from "node:crypto";

/** Returns the SHA-256 digest of a text as 64 hexadecimal digits. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
