import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { listeningPorts } from "./port-mirror.ts";

const header = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const line = (local: string, state = "0A") => `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000\n`;
const line6 = (local: string) => `   0: ${local} 00000000000000000000000000000000:0000 0A 00000000:00000000\n`;

test("lists the ports that accept connections to the pod's address", () => {
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
  expect([...listeningPorts(files, "7", "127.90.0.5")]).toEqual([80, 7070, 443, 7103]);
  expect([...listeningPorts(files, "8", "127.90.0.5")]).toEqual([]);
});
