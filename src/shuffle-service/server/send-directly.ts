import { tooShort } from "../files/block-source.ts";
import type { OpenChunk } from "./chunk-task.ts";
import type { Connection } from "./connection.ts";
import { failureText } from "./prepare-chunks.ts";
import type { ServiceScope } from "./scope.ts";

/** Content of at least this size goes from file to socket in the kernel: for less, one read of several blocks costs less. */
const minDirectBytes = 192 * 1024;
/** Most bytes that are sent without letting other connections continue. */
const maxDirectBytes = 4 * 1024 * 1024;

/** Whether the rest of a chunk can go from its file to the socket without being read. */
export function isDirect({ socket, outgoing }: Connection, { open }: OpenChunk, sentBytes: number): boolean {
  const isPlain = outgoing === undefined && !("encrypted" in socket);
  return isPlain && open.sizeBytes - sentBytes >= minDirectBytes && open.file?.canSend() === true;
}

/**
 * Sends more of the chunk whose header has been sent, without reading it. Returns the number of bytes, and whether the socket takes no
 * more now.
 *
 * @throws an error if the file has become shorter: only a closed connection shows it to the client
 */
export function sendDirectly(scope: ServiceScope, { socket }: Connection, chunk: OpenChunk, sentBytes: number) {
  const { open, range } = chunk;
  const sizeBytes = Math.min(maxDirectBytes, open.sizeBytes - sentBytes);
  const sent = open.file?.sendTo(socket, open.offset + sentBytes, sizeBytes);
  if (typeof sent === "number") return { sent, isFull: sent < sizeBytes };
  if (sent !== "end") return { sent: 0, isFull: true };
  scope.source.open.forget(range.directory, range.name);
  throw new Error(failureText(scope, tooShort(range.name)));
}
