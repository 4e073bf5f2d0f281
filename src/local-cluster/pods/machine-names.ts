import type { Host } from "../../host/host.ts";
import { runCommand } from "../../spark/run-command.ts";

/** An address and its names, as a line of a hosts file has them. */
export type HostsLine = readonly [address: string, ...names: string[]];

/** Longer than a working look-up takes; a name server that does not answer must not hold up a cluster. */
const timeoutMs = 1000;

/**
 * The names that this machine gives itself: those of its hosts file, and its host name where that file lacks it
 * (systemd's `myhostname` makes it up).
 *
 * Pods have this machine's network, and a driver outside of them (client mode) tells them such a name as its address.
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

/** Source: hosts(5). Names of the loopback itself are every pod's own. */
function parseHostsFile(text: string): readonly HostsLine[] {
  return text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    const ownNames = names.filter((name) => !/^localhost(\.|\d|$)|^ip6-/.test(name));
    return ownNames.length === 0 ? [] : [[address, ...ownNames] as const];
  });
}
