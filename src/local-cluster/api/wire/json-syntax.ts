/** Maximum nesting of arrays and objects in JSON. Source: Go 1.26, encoding/json. */
export const maxJsonDepth = 10_000;

/** A position in the grammar: what may follow. */
type Expected = "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "end";

interface Scan {
  readonly bytes: Uint8Array;
  at: number;
  expected: Expected;
  /** The open arrays and objects. */
  readonly open: ("array" | "object")[];
}

const code = (character: string) => character.charCodeAt(0);
const [quote, backslash, minus, zero, nine] = [code('"'), code("\\"), code("-"), code("0"), code("9")];
const endOfInput = "unexpected end of JSON input";

/**
 * Returns the first syntax error of JSON, or of JSON that is nested too deeply, with the message of Go's parser.
 *
 * JSON.parse has other messages, which change between versions of Node, and no limit of depth.
 */
export function jsonSyntaxFault(text: string): string | undefined {
  const scan: Scan = { bytes: Buffer.from(text), at: 0, expected: "value", open: [] };
  for (;;) {
    const byte = nextByte(scan);
    if (byte === undefined) return scan.open.length === 0 && scan.expected === "end" ? undefined : endOfInput;
    const fault = readToken(scan, byte);
    if (fault !== undefined) return fault;
  }
}

/** Skips spaces. */
function nextByte(scan: Scan): number | undefined {
  for (;;) {
    const byte = scan.bytes[scan.at];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return byte;
    scan.at += 1;
  }
}

function readToken(scan: Scan, byte: number): string | undefined {
  const { expected } = scan;
  const character = String.fromCharCode(byte);
  switch (expected) {
    case "value":
    case "valueOrEnd":
      return expected === "valueOrEnd" && character === "]" ? close(scan) : readValue(scan, byte);
    case "key":
    case "keyOrEnd":
      if (expected === "keyOrEnd" && character === "}") return close(scan);
      if (byte !== quote) return invalid(byte, "looking for beginning of object key string");
      scan.expected = "colon";
      return readString(scan);
    case "colon":
      return character === ":" ? advance(scan, "value") : invalid(byte, "after object key");
    case "end":
      return readSeparator(scan, byte);
  }
}

function readSeparator(scan: Scan, byte: number): string | undefined {
  const character = String.fromCharCode(byte);
  switch (scan.open.at(-1)) {
    case undefined:
      return invalid(byte, "after top-level value");
    case "array":
      if (character === ",") return advance(scan, "value");
      return character === "]" ? close(scan) : invalid(byte, "after array element");
    case "object":
      if (character === ",") return advance(scan, "key");
      return character === "}" ? close(scan) : invalid(byte, "after object key:value pair");
  }
}

function readValue(scan: Scan, byte: number): string | undefined {
  const character = String.fromCharCode(byte);
  if (character === "{" || character === "[") {
    scan.open.push(character === "{" ? "object" : "array");
    if (scan.open.length > maxJsonDepth) return invalid(byte, "exceeded max depth");
    return advance(scan, character === "{" ? "keyOrEnd" : "valueOrEnd");
  }
  scan.expected = "end";
  if (byte === quote) return readString(scan);
  if (byte === minus || isDigit(byte)) return readNumber(scan);
  const literal = ["true", "false", "null"].find((text) => text.startsWith(character));
  return literal === undefined ? invalid(byte, "looking for beginning of value") : readLiteral(scan, literal);
}

function advance(scan: Scan, expected: Expected): undefined {
  scan.at += 1;
  scan.expected = expected;
}

function close(scan: Scan): undefined {
  scan.open.pop();
  advance(scan, "end");
}

function readString(scan: Scan): string | undefined {
  const { bytes } = scan;
  for (scan.at += 1; ; scan.at += 1) {
    const byte = bytes[scan.at];
    if (byte === undefined) return endOfInput;
    if (byte < 0x20) return invalid(byte, "in string literal");
    if (byte === backslash) {
      const fault = readEscape(scan);
      if (fault !== undefined) return fault;
    } else if (byte === quote) {
      scan.at += 1;
      return undefined;
    }
  }
}

function readEscape(scan: Scan): string | undefined {
  scan.at += 1;
  const byte = scan.bytes[scan.at];
  if (byte === undefined) return endOfInput;
  const character = String.fromCharCode(byte);
  if (character !== "u") return '"\\/bfnrt'.includes(character) ? undefined : invalid(byte, "in string escape code");
  for (let digits = 0; digits < 4; digits += 1) {
    scan.at += 1;
    const digit = scan.bytes[scan.at];
    if (digit === undefined) return endOfInput;
    if (!/[\da-fA-F]/.test(String.fromCharCode(digit))) return invalid(digit, "in \\u hexadecimal character escape");
  }
  return undefined;
}

function readNumber(scan: Scan): string | undefined {
  const { bytes } = scan;
  if (bytes[scan.at] === minus) scan.at += 1;
  const fault = bytes[scan.at] === zero ? advance(scan, "end") : readDigits(scan, "in numeric literal");
  if (fault !== undefined) return fault;
  if (bytes[scan.at] === code(".")) {
    scan.at += 1;
    const fraction = readDigits(scan, "after decimal point in numeric literal");
    if (fraction !== undefined) return fraction;
  }
  if (bytes[scan.at] !== code("e") && bytes[scan.at] !== code("E")) return undefined;
  scan.at += 1;
  if (bytes[scan.at] === minus || bytes[scan.at] === code("+")) scan.at += 1;
  return readDigits(scan, "in exponent of numeric literal");
}

function readDigits(scan: Scan, context: string): string | undefined {
  const first = scan.bytes[scan.at];
  if (first === undefined) return endOfInput;
  if (!isDigit(first)) return invalid(first, context);
  while (isDigit(scan.bytes[scan.at])) scan.at += 1;
  return undefined;
}

function readLiteral(scan: Scan, literal: string): string | undefined {
  for (const character of literal) {
    const byte = scan.bytes[scan.at];
    if (byte === undefined) return endOfInput;
    if (byte !== code(character)) return invalid(byte, `in literal ${literal} (expecting '${character}')`);
    scan.at += 1;
  }
  return undefined;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine;
}

/** Go prints a byte as a character, quoted as in its source code. */
function invalid(byte: number, context: string): string {
  const escapes: Readonly<Record<string, string>> = {
    ...{ "'": "\\'", "\\": "\\\\", "\x07": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t" },
    "\v": "\\v",
  };
  const character = String.fromCharCode(byte);
  const hex = byte.toString(16);
  const hexadecimal = byte < 0x20 || byte === 0x7f ? `\\x${hex.padStart(2, "0")}` : `\\u${hex.padStart(4, "0")}`;
  const shown = escapes[character] ?? (/[\p{L}\p{N}\p{P}\p{S} ]/u.test(character) ? character : hexadecimal);
  return `invalid character '${shown}' ${context}`;
}
