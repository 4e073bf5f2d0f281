import type { Host } from "../../../host/host.ts";

/** Address and port that accept TCP connections. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** Address of a socket that listens on all addresses. */
export const anyAddress = "0.0.0.0";

/**
 * Lists the TCP sockets that listen in the network of a process, by their IPv4 addresses. Empty if the process has ended.
 *
 * Source: proc(5), `/proc/net/tcp`. Addresses are in the machine's byte order; only little-endian machines are supported.
 *
 * @param process its ID, or `self`
 */
export function listeningSockets(files: Pick<Host["files"], "readText">, process: string): readonly Endpoint[] {
  return socketsOf(files, process, { names: ["tcp", "tcp6"], state: "0A" });
}

/** First port that the kernel assigns to sockets without one, by default. */
const firstEphemeralPort = 32_768;

/** Lists the UDP sockets of servers, like `listeningSockets`: those without a peer at a port that was chosen. */
export function datagramSockets(files: Pick<Host["files"], "readText">, process: string): readonly Endpoint[] {
  const all = socketsOf(files, process, { names: ["udp", "udp6"], state: "07" });
  return all.filter(({ port }) => port < firstEphemeralPort);
}

/** @param kind names of the files, and the number of the sockets' state */
function socketsOf(
  files: Pick<Host["files"], "readText">,
  process: string,
  { names, state }: { readonly names: readonly string[]; readonly state: "07" | "0A" },
): readonly Endpoint[] {
  const pattern = new RegExp(`^ *\\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:0000 ${state} `);
  return names.flatMap((name) =>
    readIfRunning(files, `/proc/${process}/net/${name}`)
      .split("\n")
      .flatMap((line) => {
        const [, local = "", port = ""] = pattern.exec(line) ?? [];
        const address = toAddress(local);
        return address === undefined ? [] : [{ address, port: Number.parseInt(port, 16) }];
      }),
  );
}

/** An IPv6 socket at all addresses accepts IPv4, too, unless it has the option IPV6_V6ONLY. */
function toAddress(local: string): string | undefined {
  if (/^0+$/.test(local)) return anyAddress;
  const hex = /^(?:0{16}FFFF0000)?([0-9A-F]{8})$/.exec(local)?.[1];
  return hex === undefined ? undefined : Buffer.from(hex, "hex").reverse().join(".");
}

function readIfRunning(files: Pick<Host["files"], "readText">, path: string): string {
  try {
    return files.readText(path) ?? "";
  } catch {
    // The process has ended.
    return "";
  }
}
