import type { Socket } from "node:net";

/** Number of bytes that were sent, or why there were none. */
export type SendResult = number | "full" | "end" | "unsupported";

/** Sends parts of files to sockets inside the kernel, without copying them to this process. */
export interface FileSender {
  /**
   * Sends as much as the socket takes now, and does not wait for it. A page that is not in memory is read first.
   *
   * @returns the number of bytes; `"full"` if the socket takes none, or its connection has failed; `"end"` if the file has none there;
   * `"unsupported"` for this file
   */
  readonly send: (part: FilePart, socket: Socket) => SendResult;
  /** Does the same in a thread, so that other connections continue on other processors. The socket can close meanwhile. */
  readonly sendInThread: (part: FilePart, socket: Socket) => Promise<SendResult>;
  /** Sends as many of a few bytes as the socket takes now, and returns their number. More must follow: the kernel may wait for it. */
  readonly sendBytes: (bytes: Uint8Array, socket: Socket) => number;
}

/** Part of an open file. */
export interface FilePart {
  readonly descriptor: number;
  readonly position: number;
  readonly sizeBytes: number;
}
