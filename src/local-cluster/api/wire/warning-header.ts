import { wellFormed } from "../json.ts";

/** Maximum characters of all warnings. If they are exceeded, each warning is truncated. Source: Kubernetes 1.35, warning.go. */
const maxTotalCharacters = 4096;
/** Maximum characters of a truncated warning. */
const maxCharacters = 256;

/**
 * Returns the value of the `Warning` header; `undefined` without warnings. Characters outside of ASCII are encoded in UTF-8, one
 * character for each byte, as Node writes headers.
 */
export function warningHeader(warnings: readonly string[]): string | undefined {
  const distinct = [...new Set(warnings.map(wellFormed))];
  const texts = truncated(distinct.filter((text) => text !== "" && !/\p{Cc}/u.test(text)));
  if (texts.length === 0) return undefined;
  const header = texts.map((text) => `299 - "${text.replace(/["\\]/g, "\\$&")}"`).join(", ");
  return Buffer.from(header).toString("latin1");
}

function truncated(texts: readonly string[]): readonly string[] {
  const result: string[] = [];
  let fullCharacters = 0;
  let characters = 0;
  for (const text of texts) {
    // The warnings up to the one that exceeds the total are all kept, and truncated.
    if (fullCharacters > maxTotalCharacters && characters >= maxTotalCharacters) break;
    const points = [...text];
    const kept = points.slice(0, maxCharacters);
    fullCharacters += points.length;
    characters += kept.length;
    result.push(kept.join(""));
  }
  return fullCharacters > maxTotalCharacters ? result : texts;
}
