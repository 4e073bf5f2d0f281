import type { Server } from "node:net";

/** Opens a port; 0 is any free one. Returns the port. @param address `undefined`: all addresses @throws Node's error, e.g. EADDRINUSE */
export function listenOn(
  server: Server,
  { address, port }: { readonly address: string | undefined; readonly port: number },
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...(address === undefined ? {} : { host: address }), port }, () => {
      server.off("error", reject);
      const bound = server.address();
      resolve(typeof bound === "object" && bound !== null ? bound.port : port);
    });
  });
}
