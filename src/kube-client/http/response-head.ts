import { digits, isMadeOf, letters } from "../../values/characters.ts";
import { isHeaderText } from "./header-text.ts";

/** Characters of header names. */
const token = `${letters}${digits}!#$%&'*+.^_\`|~-`;

/** Status and headers of a response. */
export interface ResponseHead {
  readonly status: number;
  /** Names in lower case; repeated headers are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Length of the body in bytes, or how its end is found. */
  readonly length: number | "chunked" | "untilClose";
  /** Whether the server keeps the connection for the next request. */
  readonly leavesOpen: boolean;
}

/**
 * Parses the lines before the empty line.
 *
 * Source: RFC 9112, 4 (status line), 5 (fields), 6.3 (length), 9.3 (persistence); RFC 9110, 5.5 (values).
 *
 * @throws Error if the text is not HTTP/1.1
 */
export function parseResponseHead(text: string): ResponseHead {
  const [statusLine = "", ...lines] = text.split("\r\n");
  const [version = "", status = ""] = statusLine.split(" ");
  const isStatus = status.length === 3 && isMadeOf(status, digits) && !status.startsWith("0");
  if (!["HTTP/1.0", "HTTP/1.1"].includes(version) || !isStatus)
    throw unreadable("it does not begin with HTTP/1.1 and a status");
  // After an upgrade that the client did not request, the bytes are not HTTP.
  if (status === "101") throw unreadable("it changes to another protocol");
  const headers = parseHeaders(lines);
  const { connection = "" } = headers;
  return {
    status: Number(status),
    headers,
    length: lengthOf(headers),
    leavesOpen:
      version === "HTTP/1.1" &&
      !connection
        .toLowerCase()
        .split(",")
        .some((option) => option.trim() === "close"),
  };
}

/** A malformed response; `reason` never quotes it. */
export function unreadable(reason: string): Error {
  return Object.assign(new Error(`the answer is not HTTP: ${reason}`), { code: "ERR_HTTP_ANSWER" });
}

function parseHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  const noHeader = () => unreadable("a line of its head is not a header");
  if (!isHeaderText(lines)) throw noHeader();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0));
    if (name === "" || !isMadeOf(name, token)) throw noHeader();
    const key = name.toLowerCase();
    const before = headers.get(key);
    const value = line.slice(colon + 1).trim();
    headers.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

function lengthOf(headers: Readonly<Record<string, string>>): ResponseHead["length"] {
  const coding = headers["transfer-encoding"]?.toLowerCase();
  const length = headers["content-length"];
  if (coding !== undefined) {
    // A proxy may read a message with both as two messages: request smuggling.
    if (length !== undefined) throw unreadable("it has a length and chunks");
    if (coding !== "chunked") throw unreadable("its body has an unsupported transfer coding");
    return "chunked";
  }
  if (length === undefined) return "untilClose";
  if (length === "" || length.length > 15 || !isMadeOf(length, digits)) throw unreadable("its length is not a number");
  return Number(length);
}
