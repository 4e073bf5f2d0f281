import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { createServer } from "node:net";
import type { Network } from "./host.ts";

/** The network of the real machine; loaded on first use. */
export const nodeNetwork: Network = { lookUp, tryListening, addressToward };

async function lookUp(name: string): Promise<readonly string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

function tryListening(address: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host: address, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function addressToward(name: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    lookup(name).then(
      ({ address, family }) => {
        const socket = createSocket(family === 6 ? "udp6" : "udp4");
        const end = (found: string | undefined) => {
          socket.close();
          resolve(found);
        };
        socket.once("error", () => end(undefined));
        // Of a datagram socket it only chooses the way; nothing is sent.
        socket.connect(9, address, () => end(socket.address().address));
      },
      () => resolve(undefined),
    );
  });
}
