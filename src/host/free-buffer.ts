import { MessageChannel, type MessagePort } from "node:worker_threads";

let nowhere: MessagePort | undefined;

/**
 * Gives the memory of a buffer back at once, where nothing else is in it; nobody may look at it any more. V8 does so when it next
 * cleans up, and lets 64 MiB of what a server receives gather until then.
 */
export function freeBuffer({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength) return;
  nowhere ??= openNowhere();
  // What is transferred to a port that nobody holds the other end of is gone.
  nowhere.postMessage(undefined, [buffer]);
}

function openNowhere(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  port1.unref();
  return port1;
}
