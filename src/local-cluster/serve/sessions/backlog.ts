import type { WebSocket } from "ws";

/** Bytes that a slow reader may lag behind before its writer must wait. */
export const backlogBytes = 1024 * 1024;

/** Maximum size of a message from a client. Source: Go's golang.org/x/net/websocket, `DefaultMaxPayloadBytes`. */
export const maxMessageBytes = 32 * 1024 * 1024;

/**
 * Stops reading from a client while too many of its bytes wait for their reader. Call the result for each chunk, and
 * the function that it returns when the chunk was read.
 */
export function limitBacklog(client: WebSocket): (chunk: Uint8Array) => () => void {
  let waitingBytes = 0;
  return ({ length }) => {
    waitingBytes += length;
    if (waitingBytes > backlogBytes) client.pause();
    return () => {
      waitingBytes -= length;
      if (waitingBytes <= backlogBytes) client.resume();
    };
  };
}
