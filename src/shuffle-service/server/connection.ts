import type { Socket } from "node:net";
import type { Authenticator } from "../authentication/authenticator.ts";
import type { TransportCipher } from "../authentication/transport-cipher.ts";
import { LengthPrefixedReader } from "../protocol/length-prefixed-reader.ts";
import type { ChunkTask, OpenChunk } from "./chunk-task.ts";

/** Item that a connection sends, in order. */
export type Outgoing =
  | {
      readonly kind: "bytes";
      readonly bytes: Buffer;
      /** Encrypts what follows. */
      readonly cipher?: TransportCipher | undefined;
    }
  | ChunkTask;

/** A connection of a client. */
export interface Connection {
  readonly socket: Socket;
  readonly peer: string;
  readonly frames: LengthPrefixedReader;
  readonly streamIds: Set<bigint>;
  readonly queue: Outgoing[];
  /** Handshake that is not complete. */
  authenticator: Authenticator | undefined;
  /** Application that the client has proved. */
  clientId: string | undefined;
  /** Decrypts what the client sends. */
  incoming: TransportCipher | undefined;
  /** Encrypts what is sent. It begins later than `incoming`, after the last message of the handshake. */
  outgoing: TransportCipher | undefined;
  /** Whether no encrypted frame has been read yet: a wrong cipher shows there. */
  isFirstEncrypted: boolean;
  /** Chunk whose first part has been sent. Its file is open. */
  partial: { readonly chunk: OpenChunk; readonly sentBytes: number } | undefined;
  /** Bytes that were sent without being read, which the socket does not count. */
  directBytes: number;
  /** Whether the socket was full, so that its client got time to read. */
  hasDelayed: boolean;
  /** RPCs whose response is not in the queue yet. */
  runningRpcs: number;
  isSending: boolean;
  /** Reads nothing more, and closes after the queue. */
  isClosing: boolean;
  isPaused: boolean;
  /** Bytes of incomplete requests in the memory budget. */
  reservedBytes: number;
  /** Time of the write that is not complete, by the monotonic clock. */
  writeStartedMs: number | undefined;
}

/** Largest request before and after a client has authenticated. A handshake is small, and so are most requests. */
const maxFrameBytes = { handshake: 1024 * 1024, authenticated: 64 * 1024 * 1024 };

/** Largest plain message of a client. */
export const maxMessageBytes = maxFrameBytes.authenticated;

/** Creates the state of a new connection. */
export function newConnection(socket: Socket, authenticator: Authenticator | undefined): Connection {
  const maxBytes = authenticator === undefined ? maxFrameBytes.authenticated : maxFrameBytes.handshake;
  return {
    socket,
    peer: `${socket.remoteAddress ?? "unknown"}:${socket.remotePort ?? 0}`,
    frames: new LengthPrefixedReader(maxBytes),
    ...{
      streamIds: new Set(),
      queue: [],
      authenticator,
      clientId: undefined,
      incoming: undefined,
      outgoing: undefined,
    },
    ...{ isFirstEncrypted: false, runningRpcs: 0, isSending: false, isClosing: false, isPaused: false },
    ...{ partial: undefined, directBytes: 0, hasDelayed: false, reservedBytes: 0, writeStartedMs: undefined },
  };
}

/** Ends the handshake of a connection. */
export function acceptClient(connection: Connection, appId: string, cipher: TransportCipher | undefined): void {
  connection.authenticator = undefined;
  connection.clientId = appId;
  connection.incoming = cipher;
  connection.isFirstEncrypted = cipher !== undefined;
  connection.frames.maxBytes = maxFrameBytes.authenticated;
}

const queueLimits = { stop: 256, resume: 64 };

/** Whether no more requests are decoded now. Encoded, they take a tenth of the memory. */
export function isFull({ queue, runningRpcs }: Connection): boolean {
  return queue.length + runningRpcs >= queueLimits.stop;
}

/**
 * Reads as fast as the client takes what it requested: a client that does not read must not fill the queue.
 *
 * @param decode decodes requests that have arrived
 */
export function throttle(connection: Connection, decode: () => void): void {
  if (!connection.isPaused && isFull(connection)) {
    connection.isPaused = true;
    connection.socket.pause();
  } else if (connection.isPaused && connection.queue.length + connection.runningRpcs < queueLimits.resume) {
    decode();
    if (isFull(connection)) return;
    connection.isPaused = false;
    connection.socket.resume();
  }
}

/** Sends bytes, encrypted if the connection is. Resolves when the kernel has them; rejects when the connection closes. */
export async function write(connection: Connection, plain: Buffer): Promise<void> {
  const { outgoing } = connection;
  if (outgoing === undefined) return await writeAll(connection.socket, [plain]);
  for (let start = 0; start < plain.length; start += outgoing.maxPlainBytes) {
    await writeAll(connection.socket, outgoing.encrypt(plain.subarray(start, start + outgoing.maxPlainBytes)));
  }
}

function writeAll(socket: Socket, parts: readonly Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null | undefined) => (error == null ? resolve() : reject(error));
    if (parts.length > 1) socket.cork();
    parts.forEach((part, index) => {
      if (index < parts.length - 1) socket.write(part);
      else socket.write(part, done);
    });
    if (parts.length > 1) socket.uncork();
  });
}
