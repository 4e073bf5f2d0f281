import type { Server } from "node:https";

/** The port of the API, unless its user wants another. Whoever has it on an address has the address's whole /24. */
const usualPorts = [6443, 16_443, 26_443];

const addresses = Array.from({ length: 255 }, (_, index) => `127.90.${index}.1`);

export interface Listening {
  readonly address: string;
  readonly port: number;
}

/**
 * Opens a server on the first free address 127.90.x.1, or on the one that is wanted.
 *
 * Where a machine answers on no loopback address but 127.0.0.1, that one is taken, with any free port.
 */
export async function listen(
  server: Server,
  wanted: { address?: string; port?: number },
): Promise<Listening> {
  const places = (wanted.port === undefined ? usualPorts : [wanted.port]).flatMap((port) =>
    (wanted.address === undefined ? addresses : [wanted.address]).map((address) => ({ address, port })),
  );
  let last: unknown;
  for (const place of places) {
    const outcome = await tryListen(server, place);
    if (typeof outcome === "number") return { address: place.address, port: outcome };
    last = outcome;
    if (codeOf(outcome) === "EADDRNOTAVAIL") break;
    if (codeOf(outcome) !== "EADDRINUSE") throw outcome;
  }
  if (wanted.address !== undefined) throw last;
  const address = "127.0.0.1";
  const outcome = await tryListen(server, { address, port: wanted.port ?? 0 });
  if (typeof outcome === "number") return { address, port: outcome };
  throw outcome;
}

/** The port, or why it cannot be had. */
export function tryListen(server: Server, { address, port }: Listening): Promise<number | Error> {
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve(error);
    server.once("error", fail);
    server.listen({ host: address, port, exclusive: true }, () => {
      server.off("error", fail);
      const bound = server.address();
      resolve(typeof bound === "object" && bound !== null ? bound.port : port);
    });
  });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
