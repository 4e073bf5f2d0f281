import type { ChildProcess, Host } from "../../../host/host.ts";
import { machineName } from "../../../host/machine-name.ts";
import { type SocketOpener, startSocketOpener } from "../../../host/node-socket-opener.ts";
import { withinTime } from "../../../host/within-time.ts";
import { findProgram } from "../../sandbox/find-program.ts";
import { isClusterAddress, prefixOf } from "../../service-ranges.ts";
import { anyAddress } from "./listening-sockets.ts";
import { link, networkScript } from "./network-script.ts";
import { podNamespaces } from "./pod-namespaces.ts";
import { bindDirectly, connectDirectly, type PodNetwork, sharedNetwork } from "./pod-network.ts";
import { startPortMirror } from "./port-mirror.ts";

interface NetworkOptions {
  readonly host: Host;
  /** Address of the API; the pods' network is its /24. */
  readonly apiAddress: string;
  /** Loopback addresses of this machine that have names; pods know these names. */
  readonly namedAddresses: readonly string[];
  /** Registers a process group that must not outlive the cluster. */
  readonly watch: (pid: number) => void;
}

/** Programs that a network per pod requires, by Debian's packages: iproute2, passt, nftables or iptables, util-linux. */
const programs = ["ip", "pasta", "unshare", "nsenter"];

/** Far more than the network takes, even on a busy machine. */
const startTimeoutMs = 20_000;
const lateMessage = `the network did not start in ${startTimeoutMs / 1000} s`;
const linkIntervalMs = 5;

/**
 * Creates the cluster's network: a network namespace that no setting of this machine refers to, and that ends with its processes.
 * It belongs to an unprivileged user, so that root and other users need the same. `pasta` connects it to this machine.
 *
 * Resolves to a shared network with a notice if this machine lacks a program or permission.
 */
export async function ownNetwork(options: NetworkOptions): Promise<PodNetwork> {
  const { host, apiAddress } = options;
  // Only then does the machine have all addresses of 127/8.
  if (isOwnLoopback(apiAddress)) return sharedNetwork(noticeOf(`the API's address is ${apiAddress}`));
  const missing = programs.filter((name) => findProgram(host, name) === undefined);
  if (findProgram(host, "nft") === undefined && findProgram(host, "iptables") === undefined) missing.push("nft");
  if (missing.length > 0) return sharedNetwork(noticeOf(`not installed: ${missing.join(", ")}`));
  const parts: Parts = { children: [], opener: undefined, isStopped: false };
  try {
    return await withinTime(host.clock, start(options, parts), { limitMs: startTimeoutMs, message: lateMessage });
  } catch (error) {
    stop(parts);
    return sharedNetwork(noticeOf(error instanceof Error ? error.message : String(error)));
  }
}

function noticeOf(reason: string): string {
  return `Pods share the network of this machine (${reason}): two pods cannot listen on the same port of all addresses. For a network per pod, install iproute2, passt and nftables, and allow user namespaces.`;
}

/** Processes of the network. */
interface Parts {
  readonly children: ChildProcess[];
  opener: SocketOpener | undefined;
  isStopped: boolean;
}

function stop(parts: Parts): void {
  parts.isStopped = true;
  parts.opener?.stop();
  for (const child of parts.children) child.kill("SIGKILL");
}

async function start(options: NetworkOptions, parts: Parts): Promise<PodNetwork> {
  const { host, apiAddress, namedAddresses, watch } = options;
  const prefix = prefixOf(apiAddress);
  const namespaces = ["--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child"];
  const script = spawn(options, parts, ["unshare", ...namespaces, "--", "sh", "-c", networkScript(prefix)]);
  const pods = podNamespaces(script);
  const owner = await pods.ready;
  const [user = "", net = ""] = ["user", "net"].map((name) => `/proc/${owner}/ns/${name}`);
  const enter = (path: string): [string, ...string[]] => [
    findProgram(host, "nsenter") ?? "nsenter",
    ...(isRoot(host) ? [] : [`--user=${user}`, "--preserve-credentials"]),
    `--net=${path}`,
    "--",
  ];
  const opener = startSocketOpener(enter(net));
  parts.opener = opener;
  const pasta = spawn(options, parts, pastaCommand({ user, net }));
  for (const { pid } of [...parts.children, opener]) if (pid !== undefined) watch(pid);
  await waitForLink(host, pasta, owner);
  await opener.entered;
  const mirror = startPortMirror({
    ...{ host, connect: opener.connect, listen: opener.listen, bindInside: () => opener.bind(anyAddress, 0) },
    machineAddresses: (address) => machineAddresses({ address, apiAddress, namedAddresses }),
  });
  const attach = async (address: string) => {
    const holder = await pods.add(address);
    mirror.add(address, holder);
    return holder;
  };
  return {
    name: "pod",
    connect: (address, port) =>
      isClusterAddress(address, apiAddress) ? opener.connect(address, port) : connectDirectly(address, port),
    listen: opener.listen,
    bind: opener.bind,
    bindFor: (target) =>
      isClusterAddress(target, apiAddress) ? opener.bind(anyAddress, 0) : bindDirectly(anyAddress, 0),
    attach(address) {
      // A failure is reported by `entry`.
      attach(address).catch(() => {});
    },
    entry: async (address) => enter(`/proc/${await attach(address)}/ns/net`),
    detach(address) {
      mirror.remove(address);
      pods.remove(address);
    },
    machineAddress: (address) => (isOwnLoopback(address) ? link.machine : address),
    machineName,
    stop() {
      mirror.stop();
      stop(parts);
    },
  };
}

function spawn(
  { host }: NetworkOptions,
  { children, isStopped }: Parts,
  command: readonly [string, ...string[]],
): ChildProcess {
  if (isStopped) throw new Error("the network was stopped");
  // As root, the namespaces belong to an account without permissions, which `pasta` requires.
  const [first, ...rest] = isRoot(host) ? withoutPermissions(command) : command;
  const child = host.spawn(first, rest, { detached: true, stdin: "pipe" });
  children.push(child);
  child.release();
  return child;
}

function isRoot({ user }: Pick<Host, "user">): boolean {
  return user.uid === 0;
}

/** Account that owns nothing, in all distributions. */
const overflowId = 65_534;

function withoutPermissions(command: readonly string[]): readonly [string, ...string[]] {
  return ["setpriv", `--reuid=${overflowId}`, `--regid=${overflowId}`, "--clear-groups", "--", ...command];
}

function pastaCommand({ user, net }: { readonly user: string; readonly net: string }): readonly [string, ...string[]] {
  return [
    "pasta",
    ...["--foreground", "--quiet", "--config-net", "--ipv4-only", "--ns-ifname", link.device],
    ...["--address", link.network, "--netmask", String(link.prefixBits), "--gateway", link.machine],
    ...["--tcp-ports", "none", "--udp-ports", "none", "--tcp-ns", "none", "--udp-ns", "none"],
    ...["--no-dhcp", "--no-ra", "--no-ndp", "--no-dhcpv6", "--mtu", "65520"],
    ...["--userns", user, "--netns", net],
  ];
}

/** Waits until the network has a route to this machine. Rejects with pasta's reason if it ends before. */
async function waitForLink({ files, clock }: Host, pasta: ChildProcess, owner: string): Promise<void> {
  let errorText = "";
  let hasEnded = false;
  pasta.onOutput(2, (chunk) => {
    errorText += Buffer.from(chunk).toString("utf8");
  });
  void pasta.exited.then(() => {
    hasEnded = true;
  });
  while (!(files.readText(`/proc/${owner}/net/route`) ?? "").includes(`${link.device}\t00000000\t`)) {
    // Without a system log, it reports that, too.
    const [reason = "it has ended"] = errorText.split("\n").filter((line) => line !== "" && !line.includes("syslog"));
    if (hasEnded) throw new Error(`pasta: ${reason}`);
    await clock.sleep(linkIntervalMs);
  }
}

/** Returns whether an address is of a pod's own loopback. */
function isOwnLoopback(address: string): boolean {
  return address.startsWith("127.0.0.");
}

/**
 * Returns the addresses at which pods expect a socket of this machine: the socket's own, if it is a loopback address that is not also
 * one of the pods; for a socket at all addresses, that of the node and those that have a name.
 */
export function machineAddresses({
  address,
  apiAddress,
  namedAddresses,
}: Pick<NetworkOptions, "apiAddress" | "namedAddresses"> & { readonly address: string }): readonly string[] {
  const isMirrored = (own: string) =>
    own.startsWith("127.") && !isOwnLoopback(own) && !isClusterAddress(own, apiAddress);
  return address === anyAddress ? [apiAddress, ...namedAddresses.filter(isMirrored)] : [address].filter(isMirrored);
}
