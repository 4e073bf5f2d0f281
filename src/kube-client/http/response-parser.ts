import type { ApiRequest } from "../../kube/transport.ts";
import { digits, isMadeOf } from "../../values/characters.ts";
import { parseResponseHead, type ResponseHead, unreadable } from "./response-head.ts";

/** Receiver of a response as it arrives. */
export interface ResponseSink {
  readonly head: (head: ResponseHead) => void;
  readonly data: (bytes: Uint8Array) => void;
  /** Once, after the last byte of the body. */
  readonly end: () => void;
}

/** Cuts one answer out of the bytes of a connection. */
export interface ResponseParser {
  /** @throws Error for what is no HTTP/1.1 */
  readonly write: (chunk: Buffer) => void;
  /** The connection was closed by the server; `false` when that cuts the answer off. */
  readonly close: () => boolean;
  /** Whether the connection can carry another request, once the answer has ended. */
  readonly leavesOpen: () => boolean;
}

/** Next expected input: a line, bytes of the body, or nothing. The body may extend to the end of the connection. */
type Part = "head" | "body" | "chunkSize" | "chunk" | "chunkEnd" | "trailer" | "nothing";

// As Node's own client has it; lines about a chunk have no use for more.
const maxHeadBytes = 16_384;

/**
 * A parser of one answer. Bodies come by length, in chunks, or until the connection ends; what is said beside chunks, and interim
 * answers (100 to 199), are passed over.
 *
 * Source: RFC 9112, 6.3 (length of a message) and 7.1 (chunks).
 *
 * @param method of the request: the answer to HEAD has no body
 */
export function responseParser(method: ApiRequest["method"], sink: ResponseSink): ResponseParser {
  let part: Part = "head";
  /** Bytes of the body, or of the chunk, that are still to come. */
  let left = 0;
  let rest: Buffer = Buffer.alloc(0);
  let leavesOpen = false;

  const end = () => {
    part = "nothing";
    sink.end();
  };
  const start = (head: ResponseHead) => {
    if (head.status < 200) return;
    leavesOpen = head.leavesOpen;
    const length = method === "HEAD" || head.status === 204 || head.status === 304 ? 0 : head.length;
    part = length === "chunked" ? "chunkSize" : "body";
    left = typeof length === "number" ? length : Number.POSITIVE_INFINITY;
    if (length === "untilClose") leavesOpen = false;
    sink.head(head);
    if (length === 0) end();
  };
  const takeLine = (line: string) => {
    if (part === "chunkSize") {
      left = parseChunkSize(line);
      part = left === 0 ? "trailer" : "chunk";
    } else if (part === "chunkEnd") {
      if (line !== "") throw unreadable("a chunk is longer than it says");
      part = "chunkSize";
    } else if (line === "") end();
  };
  const takeBytes = () => {
    const bytes = rest.length > left ? rest.subarray(0, left) : rest;
    rest = rest.subarray(bytes.length);
    left -= bytes.length;
    const isComplete = left === 0;
    const isChunk = part === "chunk";
    if (isComplete && isChunk) part = "chunkEnd";
    sink.data(bytes);
    if (isComplete && !isChunk) end();
  };
  /** Returns the text before `mark`, and consumes both. */
  const takeText = (mark: string): string | undefined => {
    const at = rest.indexOf(mark, 0, "latin1");
    if ((at === -1 ? rest.length : at) > maxHeadBytes) throw unreadable("its head is too long");
    if (at === -1) return undefined;
    const text = rest.toString("latin1", 0, at);
    rest = rest.subarray(at + mark.length);
    return text;
  };
  /** @returns false when more bytes are needed first */
  const step = (): boolean => {
    if (part === "body" || part === "chunk") {
      takeBytes();
      return true;
    }
    const text = takeText(part === "head" ? "\r\n\r\n" : "\r\n");
    if (text === undefined) return false;
    if (part === "head") start(parseResponseHead(text));
    else takeLine(text);
    return true;
  };
  return {
    write(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (rest.length > 0 && part !== "nothing" && step());
    },
    close() {
      const isEnd = part === "body" && left === Number.POSITIVE_INFINITY;
      if (isEnd) end();
      return isEnd || part === "nothing";
    },
    leavesOpen: () => leavesOpen && rest.length === 0,
  };
}

function parseChunkSize(line: string): number {
  // What may stand behind a semicolon is nothing to us.
  const [size = ""] = line.split(";");
  const hex = size.trimEnd();
  if (hex === "" || hex.length > 13 || !isMadeOf(hex, `${digits}abcdefABCDEF`))
    throw unreadable("a chunk has no size");
  return Number.parseInt(hex, 16);
}
