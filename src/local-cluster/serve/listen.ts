import type { Server } from "node:https";

/** Default ports of the API. A cluster that listens on an address uses the address's entire /24. */
const defaultPorts = [6443, 16_443, 26_443];

const addresses = Array.from({ length: 255 }, (_, index) => `127.90.${index}.1`);

/** An address and port that a server listens on. */
export interface Listening {
  readonly address: string;
  readonly port: number;
}

/**
 * Listens on the specified address, or on the first free address 127.90.x.1.
 *
 * On a machine whose only loopback address is 127.0.0.1, listens there on any free port.
 */
export async function listen(server: Server, requested: { address?: string; port?: number }): Promise<Listening> {
  const candidates = (requested.port === undefined ? defaultPorts : [requested.port]).flatMap((port) =>
    (requested.address === undefined ? addresses : [requested.address]).map((address) => ({ address, port })),
  );
  let last: unknown;
  for (const candidate of candidates) {
    const outcome = await tryListen(server, candidate);
    if (typeof outcome === "number") return { address: candidate.address, port: outcome };
    last = outcome;
    if (codeOf(outcome) === "EADDRNOTAVAIL") break;
    if (codeOf(outcome) !== "EADDRINUSE") throw outcome;
  }
  if (requested.address !== undefined) throw last;
  const address = "127.0.0.1";
  const outcome = await tryListen(server, { address, port: requested.port ?? 0 });
  if (typeof outcome === "number") return { address, port: outcome };
  throw outcome;
}

/** Returns the port, or the error. */
export function tryListen(server: Server, { address, port }: Listening): Promise<number | Error> {
  return new Promise((resolve) => {
    const succeed = () => {
      server.off("error", fail);
      const bound = server.address();
      resolve(typeof bound === "object" && bound !== null ? bound.port : port);
    };
    const fail = (error: Error) => {
      server.off("listening", succeed);
      resolve(error);
    };
    server.once("error", fail);
    server.once("listening", succeed);
    server.listen({ host: address, port, exclusive: true });
  });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
