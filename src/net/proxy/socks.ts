import type { Socket } from "node:net";
import { addressOf } from "../../host/address.ts";
import { percentDecoded } from "../../values/percent-decoding.ts";
import { proxyFailure } from "./proxy-failure.ts";

const failureReasons: Readonly<Record<number, string>> = {
  1: "general failure",
  2: "not allowed",
  3: "network is unreachable",
  4: "host is unreachable",
  5: "connection refused",
  6: "time to live expired",
  7: "command not supported",
  8: "address type not supported",
};
/** Maximum bytes of a user, a password and a host name. */
const maxLength = 255;
/** Failures that a retry can resolve. */
const transientCodes = [1, 3, 4, 5, 6];

/**
 * Requests, on an open connection to a SOCKS proxy, that it forwards all further bytes to a server. The proxy resolves the
 * server's name.
 *
 * Source: RFC 1928, RFC 1929.
 */
export async function enterSocks(socket: Socket, proxy: URL, server: URL): Promise<void> {
  const fail = (reason: string, options: { isTransient?: boolean } = {}) => proxyFailure(proxy, reason, options);
  const user = Buffer.from(percentDecoded(proxy.username));
  const password = Buffer.from(percentDecoded(proxy.password));
  if (Math.max(user.length, password.length) > maxLength) {
    throw fail(`its user or password has more than ${maxLength} bytes`);
  }
  const methods = user.length === 0 ? [0] : [0, 2];
  socket.write(Uint8Array.from([5, methods.length, ...methods]));
  const [version, method] = await read(socket, 2);
  if (version !== 5) throw fail("it does not speak SOCKS 5");
  if (method === 2) {
    socket.write(Uint8Array.from([1, user.length, ...user, password.length, ...password]));
    const [, authStatus] = await read(socket, 2);
    if (authStatus !== 0) throw fail("it does not accept its user and password");
  } else if (method !== 0) throw fail("it requires a user and password");
  socket.write(await connectRequest(server));
  const [, code = 1, , kind = 0] = await read(socket, 4);
  if (code !== 0)
    throw fail(`it responded: ${failureReasons[code] ?? code}`, {
      isTransient: transientCodes.includes(code),
    });
  const [nameLength = 0] = kind === 3 ? await read(socket, 1) : [];
  const addressLength = { 1: 4, 3: nameLength, 4: 16 }[kind] ?? 4;
  await read(socket, addressLength + 2);
}

async function connectRequest(server: URL): Promise<Uint8Array> {
  const { isIPv4 } = await import("node:net");
  const { host, port } = addressOf(server);
  const name = Buffer.from(host);
  const address = isIPv4(host) ? [1, ...host.split(".").map(Number)] : [3, name.length, ...name];
  return Uint8Array.from([5, 1, 0, ...address, port >> 8, port & 0xff]);
}

/** Reads `count` bytes and leaves the rest in the socket. */
function read(socket: Socket, count: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      socket.off("readable", readChunk).off("error", reject).off("close", closed);
      end();
    };
    const readChunk = () => {
      const chunk: unknown = socket.read(count);
      if (chunk instanceof Uint8Array && chunk.length === count) settle(() => resolve(chunk));
    };
    const closed = () =>
      settle(() => reject(Object.assign(new Error("it closed the connection"), { code: "ECONNRESET" })));
    socket.on("readable", readChunk).once("error", reject).once("close", closed);
    readChunk();
  });
}
