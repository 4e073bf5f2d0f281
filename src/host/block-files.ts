import type { Socket } from "node:net";
import type { FileSender, SendResult } from "./file-sender.ts";

/**
 * Files that other programs write and may replace by links. Disk operations do not block the event loop.
 *
 * A directory is a canonical path: a file that is reached through a link is not in it.
 */
export interface BlockFiles {
  /** Opens a regular file in a directory; `undefined` if there is none. Rejects with Node's error, e.g. EMFILE. */
  readonly open: (directory: string, name: string) => Promise<BlockFile | undefined>;
  /** Returns the identity of a file without opening it; `undefined` if it does not exist. */
  readonly identify: (directory: string, name: string) => Promise<string | undefined>;
  /** Removes a file in a directory. Returns false if there is none. */
  readonly remove: (directory: string, name: string) => Promise<boolean>;
}

/** An open file. */
export interface BlockFile {
  /** Changes if the file is written, and differs if another file takes the name. */
  readonly identity: string;
  /** Size when the file was opened. */
  readonly sizeBytes: number;
  /** Size now. */
  readonly currentBytes: () => number;
  /** Fills the buffers in order from a position. Returns the number of bytes, which is less at the end of the file. */
  readonly read: (buffers: readonly Uint8Array[], position: number) => Promise<number>;
  /** Whether `sendTo` is possible now: without waiting for a disk. */
  readonly canSend: () => boolean;
  /** Sends a part to a socket that has nothing else to send, as `FileSender` does. */
  readonly sendTo: (socket: Socket, position: number, sizeBytes: number) => Promise<SendResult>;
  /** Sends bytes that a part of the file follows, as `FileSender` does. */
  readonly sendBefore: FileSender["sendBytes"];
  readonly close: () => void;
}
