import { Duplex } from "node:stream";
import { type ControlFrame, controlFrame, dataFrame, frameReader } from "./frames.ts";
import { emptyHeaderWriter, headerReader } from "./header-block.ts";

/** One stream of a connection that its peer opened. It ends in each direction by itself. */
export interface SpdyStream extends Duplex {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

interface OpenStream extends SpdyStream {
  /** Resolves when its reader is no longer far behind. */
  readonly taken: () => Promise<void>;
}

/** A reader further behind holds up all streams of its connection, as there is no flow control. */
const backlogBytes = 4 * 1024 * 1024;

const types = { open: 1, reply: 2, reset: 3, ping: 6, goAway: 7 } as const;
const cancelled = 5;
const lastOfStream = 1;

/**
 * Serves SPDY/3.1 to a peer that opens streams, over anything that carries bytes. Flow control is left to what carries it, as
 * Kubernetes does.
 *
 * Source: SPDY Protocol, Draft 3.1.
 */
export function serveSpdy(carrier: Duplex, onStream: (stream: SpdyStream) => void): void {
  const streams = new Map<number, OpenStream>();
  const readHeaders = headerReader();
  const emptyHeaders = emptyHeaderWriter();

  async function receive(frame: ControlFrame): Promise<void> {
    const id = frame.content.length >= 4 ? frame.content.readUInt32BE(0) & 0x7fff_ffff : 0;
    if (frame.type === types.open) {
      const headers = await readHeaders(frame.content.subarray(10));
      carrier.write(controlFrame(types.reply, Buffer.concat([numberOf(id), emptyHeaders()])));
      const stream = openStream(carrier, { id, headers, onClose: () => streams.delete(id) });
      streams.set(id, stream);
      onStream(stream);
      if ((frame.flags & lastOfStream) !== 0) stream.push(null);
    } else if (frame.type === types.reset) {
      streams.get(id)?.destroy();
    } else if (frame.type === types.ping) {
      carrier.write(controlFrame(types.ping, frame.content));
    } else if (frame.type === types.goAway) {
      carrier.end();
    }
  }

  async function read(): Promise<void> {
    // What is still to be written goes out, too.
    for await (const frame of frameReader(carrier.iterator({ destroyOnReturn: false }))) {
      if ("type" in frame) {
        await receive(frame);
        continue;
      }
      const stream = streams.get(frame.stream);
      if (frame.content.length > 0 && stream?.push(frame.content) === false) await stream.taken();
      if ((frame.flags & lastOfStream) !== 0) stream?.push(null);
    }
  }

  carrier.on("error", () => carrier.destroy());
  carrier.on("close", () => {
    for (const stream of streams.values()) stream.destroy();
  });
  read().then(
    () => carrier.end(),
    () => carrier.destroy(),
  );
}

function openStream(
  carrier: Duplex,
  { id, headers, onClose }: Pick<SpdyStream, "headers"> & { id: number; onClose: () => void },
): OpenStream {
  let isEnded = false;
  let tellTaken = () => {};
  const stream = new Duplex({
    allowHalfOpen: true,
    // What comes is pushed as it comes.
    read: () => tellTaken(),
    write(chunk: Buffer, _encoding, done) {
      carrier.write(dataFrame(id, chunk), done);
    },
    final(done) {
      isEnded = true;
      carrier.write(dataFrame(id, Buffer.alloc(0), lastOfStream), done);
    },
    destroy(_error, done) {
      if (!isEnded && carrier.writable) {
        carrier.write(controlFrame(types.reset, Buffer.concat([numberOf(id), numberOf(cancelled)])));
      }
      onClose();
      tellTaken();
      done(null);
    },
  });
  stream.on("error", () => {});
  const taken = async () => {
    if (stream.readableLength <= backlogBytes || stream.destroyed) return;
    await new Promise<void>((resolve) => {
      tellTaken = resolve;
    });
  };
  return Object.assign(stream, { headers, taken });
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
