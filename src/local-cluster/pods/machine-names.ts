import type { Host } from "../../host/host.ts";
import { runCommand } from "../../host/run-command.ts";

/** Address and names of a line in a hosts file. */
export type HostsLine = readonly [address: string, ...names: string[]];

/** Longer than a working lookup takes; a name server that does not respond must not delay the cluster's start. */
const timeoutMs = 1000;

/**
 * Lists the names of this machine: those of its hosts file, and its host name if that file lacks it (systemd's
 * `myhostname` synthesizes it).
 *
 * Pods use this machine's network, and a driver outside the cluster (client mode) gives them such a name as its
 * address.
 */
export async function machineNames(host: Host): Promise<readonly HostsLine[]> {
  const lines = parseHostsFile(host.files.readText("/etc/hosts") ?? "");
  const hostname = host.files.readText("/proc/sys/kernel/hostname")?.trim() ?? "";
  if (hostname === "" || lines.some(([, ...names]) => names.includes(hostname))) return lines;
  const found = runCommand(host, ["getent", "ahostsv4", hostname]);
  const timedOut = host.clock.sleep(timeoutMs, { background: true }).then(() => undefined);
  const address = /^\d+(?:\.\d+){3}/.exec((await Promise.race([found, timedOut]))?.stdout ?? "")?.[0];
  return address === undefined ? lines : [...lines, [address, hostname]];
}

/** Source: hosts(5). Skips names of the loopback itself, because every pod has its own. */
function parseHostsFile(text: string): readonly HostsLine[] {
  return text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    const ownNames = names.filter((name) => !/^localhost(\.|\d|$)|^ip6-/.test(name));
    return ownNames.length === 0 ? [] : [[address, ...ownNames] as const];
  });
}
