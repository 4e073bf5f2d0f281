import { Duplex, PassThrough } from "node:stream";
import { constants, createInflate, deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type SpdyStream, serveSpdy } from "./connection.ts";
import { type ControlFrame, controlFrame, type DataFrame, dataFrame, frameReader } from "./frames.ts";
import { headerReader } from "./header-block.ts";

/** Blocks that kubectl 1.35 wrote one after the other on one connection. */
const recordedBlocks = [
  "78f9e3c6a7c202253a703a2b294a4dcc851625aca9a0808614cb45e01c60616061c0c0c0c059048 9c64c50f2663400000000ffff",
  "826ac61445350e54322 5a29b06000000ffff",
].map((text) => Buffer.from(text.replaceAll(" ", ""), "hex"));

test("decodes header blocks that kubectl compressed", async () => {
  const read = headerReader();
  const [first = Buffer.of(), second = Buffer.of()] = recordedBlocks;
  expect(await read(first)).toEqual({ port: "8080", requestid: "0", streamtype: "error" });
  expect(await read(second)).toEqual({ port: "8080", requestid: "0", streamtype: "data" });
});

/** Creates a served connection and reads the frames that its peer receives. */
function connection(onStream: (stream: SpdyStream) => void) {
  const toServer = new PassThrough();
  const toPeer = new PassThrough();
  serveSpdy(Duplex.from({ readable: toServer, writable: toPeer }), onStream);
  const frames = frameReader(toPeer)[Symbol.asyncIterator]();
  return {
    send: (frame: Buffer) => toServer.write(frame),
    end: () => toServer.end(),
    async receive(): Promise<ControlFrame | DataFrame | undefined> {
      const { value } = await frames.next();
      return value;
    },
  };
}

function open(stream: number, block: Buffer | undefined): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt32BE(stream);
  return controlFrame(1, Buffer.concat([head, block ?? Buffer.of()]));
}

describe("a SPDY/3.1 connection", () => {
  test("multiplexes streams, which end separately in each direction", async () => {
    const { send, receive } = connection((stream) => {
      stream.write(stream.headers["streamtype"] ?? "?");
      stream.pipe(stream);
    });
    send(open(1, recordedBlocks[0]));
    expect(await receive()).toMatchObject({ type: 2 });
    expect(await receive()).toMatchObject({ stream: 1, content: Buffer.from("error") });
    // In pieces, as networks deliver data.
    const second = open(3, recordedBlocks[1]);
    send(second.subarray(0, 5));
    send(second.subarray(5));
    expect(await receive()).toMatchObject({ type: 2 });
    expect(await receive()).toMatchObject({ stream: 3, content: Buffer.from("data") });
    send(Buffer.concat([dataFrame(3, Buffer.from("abc")), dataFrame(1, Buffer.from("d"))]));
    expect(await receive()).toMatchObject({ stream: 3, content: Buffer.from("abc"), flags: 0 });
    expect(await receive()).toMatchObject({ stream: 1, content: Buffer.from("d") });
    send(dataFrame(3, Buffer.of(), 1));
    expect(await receive()).toMatchObject({ stream: 3, content: Buffer.of(), flags: 1 });
  });

  test("responds with headers that a decompressor can read", async () => {
    const { send, receive } = connection(() => {});
    const inflate = createInflate();
    for (const [index, block] of recordedBlocks.entries()) {
      send(open(2 * index + 1, block));
      const reply = await receive();
      await new Promise((resolve) => inflate.write(reply?.content.subarray(4), resolve));
      expect(reply?.content.readUInt32BE(0)).toBe(2 * index + 1);
      expect(inflate.read()).toEqual(Buffer.alloc(4));
    }
  });

  test("refuses streams beyond 2,000 until one ends", { tags: "long" }, async () => {
    const streams: SpdyStream[] = [];
    const { send, receive } = connection((stream) => streams.push(stream));
    const replies: (ControlFrame | DataFrame | undefined)[] = [];
    for (let index = 0; index <= 2000; index += 1) {
      send(open(2 * index + 1, index === 0 ? recordedBlocks[0] : recordedBlocks[1]));
      replies.push(await receive());
    }
    expect(replies.slice(0, 2000).every((reply) => reply !== undefined && "type" in reply && reply.type === 2)).toBe(
      true,
    );
    expect(replies[2000]).toMatchObject({ type: 3, content: Buffer.of(0, 0, 0x0f, 0xa1, 0, 0, 0, 3) });
    streams[0]?.destroy();
    expect(await receive()).toMatchObject({ type: 3 });
    send(open(9001, recordedBlocks[1]));
    expect(await receive()).toMatchObject({ type: 2 });
  });

  test("ends when headers decompress to more than 16 KiB", async () => {
    const { send, receive } = connection(() => {});
    const finishFlush = constants.Z_SYNC_FLUSH;
    send(open(1, deflateSync(Buffer.alloc(10_000_000), { finishFlush })));
    await expect(receive()).rejects.toThrow();
  });

  test("joins a frame of many chunks", { tags: "long" }, async () => {
    const content = Buffer.alloc(16_000_000, 7);
    const { send, receive } = connection((stream) => {
      stream.on("data", (chunk) => stream.write(Buffer.of(chunk.length === content.length ? 1 : 0)));
    });
    send(open(1, recordedBlocks[0]));
    await receive();
    const frame = dataFrame(1, content);
    for (let at = 0; at < frame.length; at += 1000) send(frame.subarray(at, at + 1000));
    expect(await receive()).toMatchObject({ stream: 1, content: Buffer.of(1) });
  });

  test("responds to pings, reports aborted streams, and ends with its transport", async () => {
    const streams: SpdyStream[] = [];
    const { send, receive, end } = connection((stream) => streams.push(stream));
    send(controlFrame(6, Buffer.of(0, 0, 0, 9)));
    expect(await receive()).toMatchObject({ type: 6, content: Buffer.of(0, 0, 0, 9) });
    send(open(1, recordedBlocks[0]));
    await receive();
    streams[0]?.destroy();
    expect(await receive()).toMatchObject({ type: 3, content: Buffer.of(0, 0, 0, 1, 0, 0, 0, 5) });
    end();
    expect(await receive()).toBeUndefined();
  });
});
