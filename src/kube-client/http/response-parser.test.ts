import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApiRequest } from "../../kube/transport.ts";
import { responseParser } from "./response-parser.ts";

interface Parsed {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly ends: number;
  readonly leavesOpen: boolean;
  /** Whether the end of the connection leaves the response complete. */
  readonly isComplete: boolean;
}

interface ParserCase {
  readonly method?: ApiRequest["method"];
  /** Offsets at which the bytes are split into packets. */
  readonly cuts?: readonly number[];
}

/** Parses a connection that the server closes after these bytes. */
function parse(sent: string, { method = "GET", cuts = [] }: ParserCase = {}): Parsed {
  const bytes = Buffer.from(sent, "latin1");
  const body: Uint8Array[] = [];
  let head: { status: number; headers: Readonly<Record<string, string>> } | undefined;
  let ends = 0;
  const parser = responseParser(method, {
    head(read) {
      expect(head).toBeUndefined();
      head = read;
    },
    data(chunk) {
      expect(ends).toBe(0);
      body.push(chunk);
    },
    end() {
      ends += 1;
    },
  });
  const positions = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...positions, bytes.length]) {
    if (to > from) parser.write(bytes.subarray(from, to));
    from = to;
  }
  const leavesOpen = parser.leavesOpen();
  const isComplete = parser.close();
  const text = Buffer.concat(body).toString("latin1");
  return { status: head?.status, headers: head?.headers ?? {}, body: text, ends, leavesOpen, isComplete };
}

const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/).map((name) => `x-${name}`);
const value = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
const body = fc.array(fc.string({ minLength: 1, maxLength: 40, unit: "binary-ascii" }), { maxLength: 5 });
const response = fc.record({
  status: fc.integer({ min: 200, max: 599 }).filter((status) => status !== 204 && status !== 304),
  headers: fc.dictionary(token, value, { maxKeys: 4 }),
  body,
  framing: fc.constantFrom("length", "chunked", "close"),
  interim: fc.boolean(),
  cuts: fc.array(fc.nat(), { maxLength: 8 }),
});

describe("a response", () => {
  test("is parsed identically for each framing and each packet boundary", () => {
    fc.assert(
      fc.property(response, ({ status, headers, body: parts, framing, interim, cuts }) => {
        const content = parts.join("");
        const framed = {
          length: [`Content-Length: ${content.length}\r\n`, content],
          chunked: [
            "Transfer-Encoding: Chunked\r\n",
            `${parts.map((part) => `${part.length.toString(16)};x=y\r\n${part}\r\n`).join("")}0\r\nx-t: v\r\n\r\n`,
          ],
          close: ["", content],
        }[framing];
        const lines = Object.entries(headers).map(([name, text]) => `${name.toUpperCase()}:  ${text} \r\n`);
        const before = interim ? "HTTP/1.1 100 Continue\r\n\r\n" : "";
        const text = `${before}HTTP/1.1 ${status} Why\r\n${lines.join("")}${framed[0]}\r\n${framed[1]}`;
        const read = parse(text, { cuts });
        expect(read).toMatchObject({ status, headers, body: content, ends: 1 });
        expect(read).toMatchObject({ leavesOpen: framing !== "close", isComplete: true });
      }),
    );
  });

  test.each([
    ["HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"],
    ["DELETE", "HTTP/1.1 204 None\r\n\r\n"],
    ["GET", "HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\n"],
  ] as const)("to %s may have no body: %j", (method, text) => {
    expect(parse(text, { method })).toMatchObject({ body: "", ends: 1, leavesOpen: true });
  });

  test("closes the connection on request, or when more bytes follow", () => {
    const ok = "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n";
    expect(parse(`${ok}\r\nx`).leavesOpen).toBe(true);
    expect(parse(`${ok}connection: Close\r\n\r\nx`).leavesOpen).toBe(false);
    expect(parse(`${ok}connection: x, close\r\n\r\nx`).leavesOpen).toBe(false);
    expect(parse(`${ok}\r\nxy`)).toMatchObject({ body: "x", leavesOpen: false });
    expect(parse("HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx").leavesOpen).toBe(false);
  });

  test.each([
    "",
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfour",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfour",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nfour\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n",
  ])("that is cut off is incomplete: %j", (text) => {
    expect(parse(text)).toMatchObject({ ends: 0, isComplete: false });
  });
});

describe("a response with more framing than content", () => {
  const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
  const interim = "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n";
  const ok = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

  test.each([
    ["six interim responses", `${interim.repeat(6)}${ok}`, "too many interim responses"],
    ["long chunk extensions", `${chunked}${`1;${"x".repeat(1000)}\r\ny\r\n`.repeat(20)}0\r\n\r\n`, "not content"],
    ["many trailers", `${chunked}1\r\ny\r\n0\r\n${`x-t: ${"x".repeat(1000)}\r\n`.repeat(20)}\r\n`, "not content"],
    [
      "endless empty lines in sizes",
      `${chunked}${`${"0".repeat(12)}1 \t ${" ".repeat(90)}\r\ny\r\n`.repeat(200)}`,
      "not content",
    ],
    ["10,000 headers", `HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(10_000)}\r\n`, "head is too long"],
  ])("is rejected: %s", (_, text, reason) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: "ERR_HTTP_ANSWER" }));
    expect(() => parse(text)).toThrow(reason);
  });

  test("is accepted in usual amounts, and its chunks of a packet are passed on in one piece", () => {
    const text = `${interim.repeat(5)}${chunked}${"1\r\ny\r\n".repeat(5000)}0\r\n\r\n`;
    expect(parse(text)).toMatchObject({ body: "y".repeat(5000), ends: 1 });
    const pieces: number[] = [];
    responseParser("GET", { head() {}, data: ({ length }) => pieces.push(length), end() {} }).write(Buffer.from(text));
    expect(pieces).toEqual([5000]);
  });
});

describe("text that is not HTTP/1.1", () => {
  test.each([
    ["\x15\x03\x01\x00\x02\x02\x28\r\n\r\n", "does not begin"],
    ["HTTP/2 200\r\n\r\n", "does not begin"],
    ["HTTP/1.1 20 OK\r\n\r\n", "does not begin"],
    ["HTTP/1.1 101 Switching\r\n\r\n", "another protocol"],
    ["HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "not a header"],
    ["HTTP/1.1 200 OK\r\na: b\r\n folded\r\n\r\n", "not a header"],
    ["HTTP/1.1 200 OK\r\na : b\r\n\r\n", "not a header"],
    ["HTTP/1.1 200 OK\r\na: b\0\r\n\r\n", "not a header"],
    ["HTTP/1.1 200 OK\r\na: b\nc: d\r\n\r\n", "not a header"],
    ["HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n", "length is not a number"],
    ["HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", "length is not a number"],
    ["HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n", "a length and chunks"],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n", "unsupported transfer coding"],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n", "no size"],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nxy\r\n", "longer than it says"],
    [`HTTP/1.1 200 OK\r\na: ${"b".repeat(16_384)}\r\n\r\n`, "too long"],
    ["H".repeat(16_385), "too long"],
  ])("is rejected: %#", (text, reason) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: "ERR_HTTP_ANSWER" }));
    expect(() => parse(text)).toThrow(reason);
  });

  test("returns a response or throws ERR_HTTP_ANSWER for any bytes", () => {
    const piece = fc.constantFrom(
      ...["HTTP/1.1 200 OK\r\n", "HTTP/1.0 500 No\r\n", "\r\n", "\r\n\r\n", "\n", "0\r\n", "a\r\n", "5\r\n"],
      ...["content-length: 3\r\n", "transfer-encoding: chunked\r\n", "connection: close\r\n", "xyz", "\0", ":"],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat()), (pieces, cuts) => {
        try {
          expect(parse(pieces.join(""), { cuts }).ends).toBeLessThanOrEqual(1);
        } catch (error) {
          expect(error).toMatchObject({ code: "ERR_HTTP_ANSWER" });
        }
      }),
    );
  });
});
