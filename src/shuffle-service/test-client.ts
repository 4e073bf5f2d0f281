import { connect, type Socket } from "node:net";
import type { TestHandshake } from "./authentication/test-handshakes.ts";
import type { TransportCipher } from "./authentication/transport-cipher.ts";
import { ByteReader } from "./protocol/byte-reader.ts";
import { string } from "./protocol/byte-writer.ts";
import { testChunkRequest, testFrame, testRpc } from "./protocol/test-requests.ts";
import { frameTypes } from "./protocol/transport-messages.ts";

/** A client of the transport protocol. Failures of the service reject with their text, a closed connection with "closed". */
export interface TestClient {
  readonly socket: Socket;
  /** Sends bytes, encrypted if the connection is. */
  readonly send: (bytes: Buffer) => void;
  readonly rpc: (body: Buffer) => Promise<Buffer>;
  /** Opens a stream by the body of a request. */
  readonly open: (body: Buffer) => Promise<{ readonly streamId: bigint; readonly chunks: number }>;
  readonly chunk: (streamId: bigint, index: number) => Promise<Buffer>;
  readonly stream: (streamId: string) => Promise<Buffer>;
  /** Opens a stream and requests all chunks at once. */
  readonly fetch: (body: Buffer) => Promise<readonly Buffer[]>;
  readonly closed: Promise<void>;
  readonly close: () => void;
}

interface Waiting {
  readonly resolve: (content: Buffer) => void;
  readonly reject: (error: Error) => void;
}

interface ClientState {
  readonly waiting: Map<string, Waiting[]>;
  pending: Buffer;
  cipher: TransportCipher | undefined;
}

/** Connects to a service, and authenticates if there is a handshake. */
export async function testClient(
  port: number,
  login?: { readonly handshake: TestHandshake | undefined; readonly appId: string; readonly secret: string },
  open: () => Socket = () => connect(port, "127.0.0.1"),
): Promise<TestClient> {
  const socket = open();
  const state: ClientState = { waiting: new Map(), pending: Buffer.alloc(0), cipher: undefined };
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      for (const list of state.waiting.values()) for (const { reject } of list) reject(new Error("closed"));
      resolve();
    });
  });
  socket.on("error", () => {});
  socket.on("data", (piece: Buffer) => {
    const plain = state.cipher === undefined ? [piece] : state.cipher.decrypt(piece);
    state.pending = Buffer.concat([state.pending, ...plain]);
    while (readResponse(state));
  });
  const send = (bytes: Buffer) => {
    for (const part of state.cipher?.encrypt(bytes) ?? [bytes]) socket.write(part);
  };
  const call = (key: string, request: Buffer) =>
    new Promise<Buffer>((resolve, reject) => {
      if (socket.destroyed) return reject(new Error("closed"));
      state.waiting.set(key, [...(state.waiting.get(key) ?? []), { resolve, reject }]);
      send(request);
    });
  let requestId = 0n;
  const rpc = (body: Buffer) => {
    requestId -= 1n;
    return call(`rpc ${requestId}`, testRpc(requestId, body));
  };
  const chunk = (streamId: bigint, index: number) =>
    call(`chunk ${streamId} ${index}`, testChunkRequest(streamId, index));
  const openStream = async (body: Buffer) => {
    const reader = new ByteReader(await rpc(body));
    if (reader.uint8() !== 3) throw new Error("not a stream handle");
    return { streamId: reader.int64(), chunks: reader.int32() };
  };
  if (login?.handshake !== undefined) state.cipher = await login.handshake(rpc, login.appId, login.secret);
  return {
    ...{ socket, send, rpc, chunk, closed, open: openStream },
    stream: (streamId) => call(`stream ${streamId}`, testFrame(frameTypes.streamRequest, string(streamId))),
    async fetch(body) {
      const { streamId, chunks } = await openStream(body);
      return await Promise.all(Array.from({ length: chunks }, (_, index) => chunk(streamId, index)));
    },
    close: () => socket.destroy(),
  };
}

/** Reads a response from the pending bytes. Returns false if it is incomplete. */
function readResponse(state: ClientState): boolean {
  if (state.pending.length < 9) return false;
  let end = Number(state.pending.readBigInt64BE());
  if (state.pending.length < end) return false;
  const reader = new ByteReader(state.pending.subarray(8, end));
  const settle = (key: string, action: (waiting: Waiting) => void) => {
    const [first, ...rest] = state.waiting.get(key) ?? [];
    state.waiting.set(key, rest);
    if (first !== undefined) action(first);
  };
  const type = reader.uint8();
  switch (type) {
    case frameTypes.rpcResponse: {
      const key = `rpc ${reader.int64()}`;
      settle(key, ({ resolve }) => resolve(reader.bytes()));
      break;
    }
    case frameTypes.rpcFailure: {
      const key = `rpc ${reader.int64()}`;
      settle(key, ({ reject }) => reject(new Error(reader.string())));
      break;
    }
    case frameTypes.chunkFetchSuccess: {
      const key = `chunk ${reader.int64()} ${reader.int32()}`;
      settle(key, ({ resolve }) => resolve(reader.rest()));
      break;
    }
    case frameTypes.chunkFetchFailure: {
      const key = `chunk ${reader.int64()} ${reader.int32()}`;
      settle(key, ({ reject }) => reject(new Error(reader.string())));
      break;
    }
    case frameTypes.streamResponse: {
      const key = `stream ${reader.string()}`;
      const start = end;
      end += Number(reader.int64());
      if (state.pending.length < end) return false;
      const content = state.pending.subarray(start, end);
      settle(key, ({ resolve }) => resolve(content));
      break;
    }
    case frameTypes.streamFailure: {
      const key = `stream ${reader.string()}`;
      settle(key, ({ reject }) => reject(new Error(reader.string())));
      break;
    }
    default:
      throw new Error(`unexpected response of type ${type}`);
  }
  state.pending = state.pending.subarray(end);
  return true;
}
