import { MessageChannel, type MessagePort } from "node:worker_threads";

let closedPort: MessagePort | undefined;

/**
 * Frees the memory of a buffer immediately, unless it shares its ArrayBuffer. The buffer must not be used again. Garbage
 * collection frees it later, after a server has received up to 64 MiB more.
 */
export function freeBuffer({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength) return;
  closedPort ??= openClosedPort();
  // A buffer that is transferred to a port with a closed peer is freed.
  closedPort.postMessage(undefined, [buffer]);
}

function openClosedPort(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  port1.unref();
  return port1;
}
