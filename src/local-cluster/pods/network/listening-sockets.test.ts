import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { datagramSockets, listeningSockets } from "./listening-sockets.ts";

const header = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const line = (local: string, state = "0A") => `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000\n`;
const line6 = (local: string) => `   0: ${local} 00000000000000000000000000000000:0000 0A 00000000:00000000\n`;

test("lists the listening sockets of both protocols by their IPv4 addresses", () => {
  const { files } = testHost();
  const any6 = "0".repeat(32);
  const own6 = `${"0".repeat(16)}FFFF0000`;
  files.makeDirectory("/proc/7/net");
  files.write(
    "/proc/7/net/tcp",
    header + line("00000000:0050") + line("05005A7F:1B9E") + line("0100007F:1000") + line("00000000:2000", "01"),
  );
  files.write(
    "/proc/7/net/tcp6",
    header + line6(`${any6}:01BB`) + line6(`${own6}05005A7F:1BBF`) + line6(`${own6}0100007F:1001`),
  );
  expect(listeningSockets(files, "7")).toEqual([
    { address: "0.0.0.0", port: 80 },
    { address: "127.90.0.5", port: 7070 },
    { address: "127.0.0.1", port: 4096 },
    { address: "0.0.0.0", port: 443 },
    { address: "127.90.0.5", port: 7103 },
    { address: "127.0.0.1", port: 4097 },
  ]);
  expect(listeningSockets(files, "8")).toEqual([]);
});

test("lists the sockets that receive datagrams, except those at ports that the kernel assigns", () => {
  const { files } = testHost();
  files.makeDirectory("/proc/7/net");
  const ports = line("00000000:1F91", "07") + line("00000000:8000", "07") + line("05005A7F:0035", "07");
  files.write("/proc/7/net/udp", header + ports + line("00000000:0050"));
  expect(datagramSockets(files, "7")).toEqual([
    { address: "0.0.0.0", port: 8081 },
    { address: "127.90.0.5", port: 53 },
  ]);
});
