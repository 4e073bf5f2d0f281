/** Limits of a JSON text that a client sends. */
export interface JsonLimits {
  /** Nested objects and arrays. */
  readonly maxDepth: number;
  /** Members and elements in total; an empty object or array counts as having one. */
  readonly maxValues: number;
  /** Bytes of a member's name. */
  readonly maxNameBytes: number;
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openObject, openArray, closeObject, closeArray] = [0x7b, 0x5b, 0x7d, 0x5d];

/**
 * Returns the first limit that a JSON text exceeds. Reads only its structure, so that a small text that would become millions of objects
 * costs no memory. Does not validate the text.
 */
export function exceededJsonLimit(json: Buffer, limits: JsonLimits): keyof JsonLimits | undefined {
  let [depth, values, nameBytes] = [0, 0, 0];
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case quote: {
        const end = endOfString(json, at);
        nameBytes = end - at - 1;
        at = end;
        break;
      }
      case colon:
        if (nameBytes > limits.maxNameBytes) return "maxNameBytes";
        break;
      case openObject:
      case openArray:
        depth += 1;
        values += 1;
        if (depth > limits.maxDepth) return "maxDepth";
        break;
      case closeObject:
      case closeArray:
        depth -= 1;
        break;
      case comma:
        values += 1;
        break;
      default:
        break;
    }
    if (values > limits.maxValues) return "maxValues";
  }
  return undefined;
}

/** Describes what exceeds a limit, e.g. `has more than 64 nested objects and arrays`. */
export function printJsonExcess(exceeded: keyof JsonLimits, limits: JsonLimits): string {
  const limit = limits[exceeded];
  switch (exceeded) {
    case "maxDepth":
      return `has more than ${limit} nested objects and arrays`;
    case "maxValues":
      return `has more than ${limit} values`;
    case "maxNameBytes":
      return `has a field name of more than ${limit} bytes`;
  }
}

/** Returns the position of the quote that ends a string, or the end of the text. */
function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf(quote, start + 1); end >= 0; end = json.indexOf(quote, end + 1)) {
    let first = end;
    while (json[first - 1] === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return json.length;
}
