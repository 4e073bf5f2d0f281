import { messageOf } from "../../errors/message-of.ts";

/** A JSON value, or why there is none. */
export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/** Parses the JSON value at the start of a text. Ignores what follows an object or a list, as Jackson does. */
export function parseFirstJson(text: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(text.slice(0, endOfFirst(text))) };
  } catch (error) {
    // The parser quotes the text, which can contain credentials.
    return { ok: false, reason: positionOf(messageOf(error)) };
  }
}

/** Returns the index after the first object or list; the length of the text if it does not end. */
function endOfFirst(text: string): number {
  let depth = 0;
  let isInText = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isInText) {
      if (character === "\\") index += 1;
      else if (character === '"') isInText = false;
    } else if (character === '"') isInText = true;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth <= 0) return index + 1;
    }
  }
  return text.length;
}

function positionOf(message: string): string {
  const position = /at position \d+/.exec(message)?.[0];
  return position === undefined ? "it is incomplete or not JSON" : `it is invalid ${position}`;
}
