import type { Random } from "../../host/host.ts";

/** The characters of Kubernetes' generated names: no vowels, so they form no words, and none that look alike. */
const letters = "bcdfghjklmnpqrstvwxz2456789";

/** Returns the five characters that make a generated name unique. */
export function randomSuffix({ bytes }: Random): string {
  return lettersOf(bytes(5));
}

/** Maps each byte to a character of generated names. */
export function lettersOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => letters[byte % letters.length] ?? "").join("");
}
