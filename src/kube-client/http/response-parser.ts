import type { ApiRequest } from "../../kube/transport.ts";
import { digits, isMadeOf } from "../../values/characters.ts";
import { parseResponseHead, type ResponseHead, unreadable } from "./response-head.ts";

/** Receiver of a response as it arrives. */
interface ResponseSink {
  readonly head: (head: ResponseHead) => void;
  readonly data: (bytes: Uint8Array) => void;
  /** Once, after the last byte of the body. */
  readonly end: () => void;
}

/** Parser of one response. */
export interface ResponseParser {
  /** @throws Error if the bytes are not HTTP/1.1 */
  readonly write: (chunk: Buffer) => void;
  /** Handles the end of the connection. Returns `false` if the response is incomplete. */
  readonly close: () => boolean;
  /** Returns whether the connection can take another request once the response has ended. */
  readonly leavesOpen: () => boolean;
}

/** Next expected input: a line, bytes of the body, or nothing. The body may extend to the end of the connection. */
type Part = "head" | "body" | "chunkSize" | "chunk" | "chunkEnd" | "trailer" | "nothing";

interface ParserState {
  readonly method: ApiRequest["method"];
  readonly sink: ResponseSink;
  part: Part;
  /** Bytes of the body, or of the chunk, that are still to come. */
  remainingBytes: number;
  /** Received bytes that are not parsed yet. */
  buffer: Buffer;
  /** Content of chunks that have arrived together. */
  content: Buffer[];
  leavesOpen: boolean;
  interimResponses: number;
  /** Bytes of lines about chunks and of trailers, beyond those that a normal server sends. */
  excessBytes: number;
}

// The limit of Node's own client. Lines about a chunk need no more.
const maxHeadBytes = 16_384;
/** Source: Go, net/http Transport, max1xxResponses. */
const maxInterimResponses = 5;
/** Maximum of bytes that are not content, and the allowance for each chunk. Source: Go, net/http/internal chunkedReader. */
const maxExcessBytes = 16_384;
const allowedBytesPerChunk = 16;

/**
 * Creates a parser of one response. A body has a length, consists of chunks, or extends to the end of the connection.
 * The parser skips chunk extensions, trailers and interim responses (100 to 199), up to a limit of each.
 *
 * Source: RFC 9112, 6.3 (length of a message) and 7.1 (chunks).
 *
 * @param method of the request: the response to HEAD has no body
 */
export function responseParser(method: ApiRequest["method"], sink: ResponseSink): ResponseParser {
  const state: ParserState = {
    ...{ method, sink, part: "head", remainingBytes: 0 },
    ...{ buffer: Buffer.alloc(0), content: [], leavesOpen: false, interimResponses: 0, excessBytes: 0 },
  };
  return {
    write(chunk) {
      state.buffer = state.buffer.length === 0 ? chunk : Buffer.concat([state.buffer, chunk]);
      try {
        while (state.buffer.length > 0 && state.part !== "nothing" && parseNext(state));
      } finally {
        flush(state);
      }
    },
    close() {
      const isEnd = state.part === "body" && state.remainingBytes === Number.POSITIVE_INFINITY;
      if (isEnd) endResponse(state);
      return isEnd || state.part === "nothing";
    },
    leavesOpen: () => state.leavesOpen && state.buffer.length === 0,
  };
}

/** Parses the next part. Returns false if it is incomplete. */
function parseNext(state: ParserState): boolean {
  if (state.part === "body" || state.part === "chunk") {
    parseBytes(state);
    return true;
  }
  const isHead = state.part === "head";
  const text = takeText(state, isHead ? "\r\n\r\n" : "\r\n");
  if (text === undefined) return false;
  if (isHead) startBody(state, parseResponseHead(text));
  else parseLine(state, text);
  return true;
}

function startBody(state: ParserState, head: ResponseHead): void {
  if (head.status < 200) {
    state.interimResponses += 1;
    if (state.interimResponses > maxInterimResponses) throw unreadable("it has too many interim responses");
    return;
  }
  const hasBody = state.method !== "HEAD" && head.status !== 204 && head.status !== 304;
  const length = hasBody ? head.length : 0;
  state.leavesOpen = head.leavesOpen && length !== "untilClose";
  state.part = length === "chunked" ? "chunkSize" : "body";
  state.remainingBytes = typeof length === "number" ? length : Number.POSITIVE_INFINITY;
  state.sink.head(head);
  if (length === 0) endResponse(state);
}

function parseLine(state: ParserState, line: string): void {
  state.excessBytes += line.length + 2;
  if (state.part === "chunkSize") {
    state.remainingBytes = parseChunkSize(line);
    state.excessBytes = Math.max(0, state.excessBytes - allowedBytesPerChunk - 2 * state.remainingBytes);
    state.part = state.remainingBytes === 0 ? "trailer" : "chunk";
  } else if (state.part === "chunkEnd") {
    if (line !== "") throw unreadable("a chunk is longer than it says");
    state.part = "chunkSize";
  } else if (line === "") endResponse(state);
  if (state.excessBytes > maxExcessBytes) throw unreadable("its chunks have too many bytes that are not content");
}

function parseBytes(state: ParserState): void {
  const { buffer, remainingBytes } = state;
  const bytes = buffer.length > remainingBytes ? buffer.subarray(0, remainingBytes) : buffer;
  state.buffer = buffer.subarray(bytes.length);
  state.remainingBytes -= bytes.length;
  const isComplete = state.remainingBytes === 0;
  const isChunk = state.part === "chunk";
  if (isComplete && isChunk) state.part = "chunkEnd";
  state.content.push(bytes);
  if (isComplete && !isChunk) endResponse(state);
}

/** Passes on the received content, in one piece: many small ones would need more memory than their bytes. */
function flush(state: ParserState): void {
  const [first] = state.content;
  if (first === undefined) return;
  const bytes = state.content.length === 1 ? first : Buffer.concat(state.content);
  state.content = [];
  state.sink.data(bytes);
}

/** Returns the text before `mark`, and consumes both. */
function takeText(state: ParserState, mark: string): string | undefined {
  const { buffer } = state;
  const at = buffer.indexOf(mark, 0, "latin1");
  if ((at === -1 ? buffer.length : at) > maxHeadBytes) throw unreadable("its head is too long");
  if (at === -1) return undefined;
  state.buffer = buffer.subarray(at + mark.length);
  return buffer.toString("latin1", 0, at);
}

function endResponse(state: ParserState): void {
  flush(state);
  state.part = "nothing";
  state.sink.end();
}

function parseChunkSize(line: string): number {
  // Extensions follow a semicolon. A client may ignore them.
  const [size = ""] = line.split(";");
  const hex = size.trimEnd();
  if (hex === "" || hex.length > 13 || !isMadeOf(hex, `${digits}abcdefABCDEF`)) throw unreadable("a chunk has no size");
  return Number.parseInt(hex, 16);
}
