import type { Random } from "../../host/host.ts";

/** Letters that make no words, and no two that look alike. */
const letters = "bcdfghjklmnpqrstvwxz2456789";

/** What the server adds to a name to make it unique: five letters. */
export function randomSuffix({ bytes }: Random): string {
  return lettersOf(bytes(5));
}

/** A letter for each byte. */
export function lettersOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => letters[byte % letters.length] ?? "").join("");
}
