import { Duplex } from "node:stream";
import { type ControlFrame, controlFrame, dataFrame, frameReader } from "./frames.ts";
import { emptyHeaderWriter, headerReader } from "./header-block.ts";

/** A stream that the peer opened. Each direction ends separately. */
export interface SpdyStream extends Duplex {
  /** Header values by lowercase name. */
  readonly headers: Readonly<Record<string, string>>;
}

interface OpenStream extends SpdyStream {
  /** Resolves when its reader has caught up. */
  readonly whenRead: () => Promise<void>;
}

/** Bytes that a reader may lag behind. Without flow control, a slower one delays all streams of its connection. */
const backlogBytes = 4 * 1024 * 1024;

/** Two for each connection that a client opens. More are refused until some end. */
const maxStreams = 2000;

const types = { open: 1, reply: 2, reset: 3, ping: 6, goAway: 7 } as const;
const refused = 3;
const cancelled = 5;
const lastOfStream = 1;

/**
 * Serves SPDY/3.1 over any transport to a peer that opens streams. As in Kubernetes, only the transport has flow control.
 *
 * Source: SPDY Protocol, Draft 3.1.
 */
export function serveSpdy(transport: Duplex, onStream: (stream: SpdyStream) => void): void {
  const streams = new Map<number, OpenStream>();
  const readHeaders = headerReader();
  const emptyHeaders = emptyHeaderWriter();

  async function receive(frame: ControlFrame): Promise<void> {
    const id = frame.content.length >= 4 ? frame.content.readUInt32BE(0) & 0x7fff_ffff : 0;
    if (frame.type === types.open) {
      const headers = await readHeaders(frame.content.subarray(10));
      if (streams.size >= maxStreams || streams.has(id)) {
        transport.write(controlFrame(types.reset, Buffer.concat([numberOf(id), numberOf(refused)])));
        return;
      }
      transport.write(controlFrame(types.reply, Buffer.concat([numberOf(id), emptyHeaders()])));
      const stream = openStream(transport, { id, headers, onClose: () => streams.delete(id) });
      streams.set(id, stream);
      onStream(stream);
      if ((frame.flags & lastOfStream) !== 0) stream.push(null);
    } else if (frame.type === types.reset) {
      streams.get(id)?.destroy();
    } else if (frame.type === types.ping) {
      transport.write(controlFrame(types.ping, frame.content));
    } else if (frame.type === types.goAway) {
      transport.end();
    }
  }

  async function read(): Promise<void> {
    // Keep the transport open to write pending frames.
    for await (const frame of frameReader(transport.iterator({ destroyOnReturn: false }))) {
      if ("type" in frame) {
        await receive(frame);
        continue;
      }
      const stream = streams.get(frame.stream);
      if (frame.content.length > 0 && stream?.push(frame.content) === false) await stream.whenRead();
      if ((frame.flags & lastOfStream) !== 0) stream?.push(null);
    }
  }

  transport.on("error", () => transport.destroy());
  transport.on("close", () => {
    for (const stream of streams.values()) stream.destroy();
  });
  read().then(
    () => transport.end(),
    () => transport.destroy(),
  );
}

function openStream(
  transport: Duplex,
  { id, headers, onClose }: Pick<SpdyStream, "headers"> & { id: number; onClose: () => void },
): OpenStream {
  let isEnded = false;
  let notifyRead = () => {};
  const stream = new Duplex({
    allowHalfOpen: true,
    // Data is pushed as it arrives.
    read: () => notifyRead(),
    write(chunk: Buffer, _encoding, done) {
      transport.write(dataFrame(id, chunk), done);
    },
    final(done) {
      isEnded = true;
      transport.write(dataFrame(id, Buffer.alloc(0), lastOfStream), done);
    },
    destroy(_error, done) {
      if (!isEnded && transport.writable) {
        transport.write(controlFrame(types.reset, Buffer.concat([numberOf(id), numberOf(cancelled)])));
      }
      onClose();
      notifyRead();
      done(null);
    },
  });
  stream.on("error", () => {});
  const whenRead = async () => {
    if (stream.readableLength <= backlogBytes || stream.destroyed) return;
    await new Promise<void>((resolve) => {
      notifyRead = resolve;
    });
  };
  return Object.assign(stream, { headers, whenRead });
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
