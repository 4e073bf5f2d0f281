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
  return ["tcp", "tcp6"].flatMap((name) =>
    readIfRunning(files, `/proc/${process}/net/${name}`)
      .split("\n")
      .flatMap((line) => {
        const [, local = "", port = ""] = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:0000 0A /.exec(line) ?? [];
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
