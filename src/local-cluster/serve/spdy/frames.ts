/** A frame about a stream or the connection. */
export interface ControlFrame {
  readonly type: number;
  readonly flags: number;
  readonly content: Buffer;
}

export interface DataFrame {
  readonly stream: number;
  readonly flags: number;
  readonly content: Buffer;
}

const headSize = 8;
const control = 0x8000_0000;
const version = 3;

/** Splits chunks into frames. Source: SPDY Protocol, Draft 3.1, 2.2. */
export async function* frameReader(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ControlFrame | DataFrame> {
  let waiting: Uint8Array[] = [];
  let [waitingBytes, neededBytes] = [0, headSize];
  for await (const chunk of chunks) {
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes < neededBytes) continue;
    // Join the chunks of a large frame once.
    let rest = Buffer.concat(waiting);
    for (neededBytes = headSize; rest.length >= neededBytes; neededBytes = headSize) {
      neededBytes = headSize + rest.readUIntBE(5, 3);
      if (rest.length < neededBytes) break;
      yield frameOf(rest.subarray(0, neededBytes));
      rest = rest.subarray(neededBytes);
    }
    waiting = [rest];
    waitingBytes = rest.length;
  }
}

function frameOf(bytes: Buffer): ControlFrame | DataFrame {
  const first = bytes.readUInt32BE(0);
  const flags = bytes.readUInt8(4);
  const content = bytes.subarray(headSize);
  return first >= control ? { type: first & 0xffff, flags, content } : { stream: first, flags, content };
}

export function controlFrame(type: number, content: Uint8Array): Buffer {
  return frame(control + version * 0x1_0000 + type, 0, content);
}

/** Builds a data frame; the content must be shorter than 16 MiB. */
export function dataFrame(stream: number, content: Uint8Array, flags = 0): Buffer {
  return frame(stream, flags, content);
}

function frame(first: number, flags: number, content: Uint8Array): Buffer {
  const head = Buffer.alloc(headSize);
  head.writeUInt32BE(first, 0);
  head.writeUInt8(flags, 4);
  head.writeUIntBE(content.length, 5, 3);
  return Buffer.concat([head, content]);
}
