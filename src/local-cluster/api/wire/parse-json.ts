import { jsonSyntaxFault, maxJsonDepth } from "./json-syntax.ts";

/** A parsed JSON text, or the message of its syntax error. */
export type ParsedJson = { readonly value: unknown } | { readonly fault: string };

/** Parses JSON that is nested at most 10,000 levels deep. */
export function parseJson(text: string): ParsedJson {
  // Each level takes a character. Most texts are shorter, and need no second scan.
  const fault = text.length > maxJsonDepth ? jsonSyntaxFault(text) : undefined;
  if (fault !== undefined) return { fault };
  try {
    return { value: JSON.parse(/\\u[dD][89a-fA-F]/.test(text) ? replaceLoneSurrogates(text) : text) };
  } catch (error) {
    return { fault: jsonSyntaxFault(text) ?? String(error) };
  }
}

/** Half of a character whose other half follows, half of a character without it, or another escape sequence. */
const escapeSequence =
  /\\u[dD][89aAbB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(\\u[dD][89a-fA-F][\da-fA-F]{2})|\\\D/g;

/** Replaces each escaped half of a character that lacks its other half by U+FFFD, as Go does. */
function replaceLoneSurrogates(text: string): string {
  return text.replace(escapeSequence, (sequence, half: string | undefined) =>
    half === undefined ? sequence : "\\ufffd",
  );
}
