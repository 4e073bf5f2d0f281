import { digits, isMadeOf, letters } from "../../values/characters.ts";
import { isHeaderText } from "./header-text.ts";

/** Characters of header names. */
const token = `${letters}${digits}!#$%&'*+.^_\`|~-`;

/** The first lines of an answer. */
export interface ResponseHead {
  readonly status: number;
  /** Names in lower case; several of one name joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body in bytes, or how its end is told. */
  readonly length: number | "chunked" | "untilClose";
  /** Whether the server keeps the connection for the next request. */
  readonly leavesOpen: boolean;
}

/**
 * Reads what stands before the empty line, without that line's ends.
 *
 * Source: RFC 9112, 4 (status line), 5 (fields), 6.3 (length), 9.3 (persistence); RFC 9110, 5.5 (values).
 *
 * @throws Error for what is no HTTP/1.1
 */
export function parseResponseHead(text: string): ResponseHead {
  const [statusLine = "", ...lines] = text.split("\r\n");
  const [version = "", status = ""] = statusLine.split(" ");
  const isStatus = status.length === 3 && isMadeOf(status, digits) && !status.startsWith("0");
  if (!["HTTP/1.0", "HTTP/1.1"].includes(version) || !isStatus)
    throw unreadable("it does not begin with HTTP/1.1 and a status");
  // A server that answers an upgrade nobody asked for speaks something else from here on.
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
        .some((word) => word.trim() === "close"),
  };
}

/** A malformed response; `reason` never quotes it. */
export function unreadable(reason: string): Error {
  return Object.assign(new Error(`the answer is not HTTP: ${reason}`), { code: "ERR_HTTP_ANSWER" });
}

function parseHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  const noHeader = () => unreadable("a line of its head is no header");
  if (!isHeaderText(lines)) throw noHeader();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0));
    if (name === "" || !isMadeOf(name, token)) throw noHeader();
    const key = name.toLowerCase();
    const before = headers.get(key);
    const told = line.slice(colon + 1).trim();
    headers.set(key, before === undefined ? told : `${before}, ${told}`);
  }
  return Object.fromEntries(headers);
}

function lengthOf(headers: Readonly<Record<string, string>>): ResponseHead["length"] {
  const coding = headers["transfer-encoding"]?.toLowerCase();
  const length = headers["content-length"];
  if (coding !== undefined) {
    // A message with both may be two messages for somebody on the way.
    if (length !== undefined) throw unreadable("it has a length and chunks");
    if (coding !== "chunked") throw unreadable("its body is coded otherwise than in chunks");
    return "chunked";
  }
  if (length === undefined) return "untilClose";
  if (length === "" || length.length > 15 || !isMadeOf(length, digits))
    throw unreadable("its length is no number");
  return Number(length);
}
