import { visibleText } from "../host/visible-text.ts";

/** Returns bytes that replace the content of a terminal. */
export function redraw(text: string): Uint8Array {
  return Buffer.from(`\u001b[H\u001b[J${visibleText(text)}`);
}
