import type { Duplex } from "node:stream";

/** Status lines of Node's errors; all others are bytes that are not HTTP. */
const statusLines: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
};

/** Responds to input that is not an HTTP request, or to headers that do not end, and closes the connection. */
export function rejectMalformed(error: Error & { code?: string }, socket: Duplex): void {
  const { code = "" } = error;
  const line = statusLines[code] ?? (code.startsWith("HPE_") ? "400 Bad Request" : undefined);
  // A TLS handshake that failed or did not end has no protocol for a response.
  if (line === undefined) socket.destroy();
  else respondAndClose(socket, `HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** Writes a last response and closes the connection, without waiting for the client to close it. */
export function respondAndClose(socket: Duplex, response: string | Uint8Array): void {
  if (socket.writable) socket.end(response, () => socket.destroy());
  else socket.destroy();
}
