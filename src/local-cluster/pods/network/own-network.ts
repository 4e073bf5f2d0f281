import type { ChildProcess, Host } from "../../../host/host.ts";
import { type SocketOpener, startSocketOpener } from "../../../host/node-socket-opener.ts";
import { findProgram } from "../../sandbox/find-program.ts";
import { link, networkScript } from "./network-script.ts";
import { connectDirectly, type PodNetwork, sharedNetwork } from "./pod-network.ts";
import { startPortMirror } from "./port-mirror.ts";

interface NetworkOptions {
  readonly host: Host;
  /** Address of the API; the pods' network is its /24. */
  readonly apiAddress: string;
  /** Registers a process group that must not outlive the cluster. */
  readonly watchProcess: (pid: number) => void;
}

/** Programs that a network per pod requires, by Debian's packages: iproute2, passt, nftables or iptables, util-linux. */
const programs = ["ip", "pasta", "unshare", "nsenter"];

const startTimeoutMs = 5000;

/**
 * Creates the cluster's network: a network namespace that no setting of this machine refers to, and that ends with its processes.
 * It belongs to an unprivileged user, so that root and other users need the same. `pasta` connects it to this machine.
 *
 * Resolves to a shared network with a notice if this machine lacks a program or permission.
 */
export async function ownNetwork(options: NetworkOptions): Promise<PodNetwork> {
  const missing = programs.filter((name) => findProgram(options.host, name) === undefined);
  if (findProgram(options.host, "nft") === undefined && findProgram(options.host, "iptables") === undefined)
    missing.push("nft");
  if (missing.length > 0) return sharedNetwork(noticeOf(`${missing.join(", ")} not installed`));
  const parts: Parts = { children: [], opener: undefined };
  try {
    return await start(options, parts);
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
}

function stop({ children, opener }: Parts): void {
  opener?.stop();
  for (const child of children) child.kill("SIGKILL");
}

async function start({ host, apiAddress, watchProcess }: NetworkOptions, parts: Parts): Promise<PodNetwork> {
  const isRoot = host.user.uid === 0;
  const prefix = apiAddress.slice(0, apiAddress.lastIndexOf(".") + 1);
  const spawn = (command: readonly [string, ...string[]]) => {
    // As root, the namespaces belong to an account without permissions, which `pasta` requires.
    const [first, ...rest] = isRoot ? withoutPermissions(command) : command;
    const child = host.spawn(first, rest, { detached: true, stdin: "pipe" });
    parts.children.push(child);
    if (child.pid !== undefined) watchProcess(child.pid);
    child.release();
    return child;
  };
  const namespaces = ["--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child"];
  const script = spawn(["unshare", ...namespaces, "--", "sh", "-c", networkScript(prefix)]);
  const pods = podNamespaces(script);
  const owner = await withTimeout(host, pods.ready);
  const [user, net] = ["user", "net"].map((name) => `/proc/${owner}/ns/${name}`);
  const pasta = spawn([
    "pasta",
    ...["--foreground", "--quiet", "--config-net", "--ipv4-only", "--ns-ifname", link.device],
    ...["--address", link.network, "--netmask", String(link.prefixBits), "--gateway", link.machine],
    ...["--tcp-ports", "none", "--udp-ports", "none", "--tcp-ns", "none", "--udp-ns", "none"],
    ...["--no-dhcp", "--no-ra", "--no-ndp", "--no-dhcpv6", "--mtu", "65520"],
    ...["--userns", user ?? "", "--netns", net ?? ""],
  ]);
  let hasLink = true;
  void pasta.ended.then(() => {
    hasLink = false;
  });
  const enter = (path: string): [string, ...string[]] => [
    findProgram(host, "nsenter") ?? "nsenter",
    ...(isRoot ? [] : [`--user=${user}`, "--preserve-credentials"]),
    `--net=${path}`,
    "--",
  ];
  const opener = startSocketOpener(enter(net ?? ""));
  parts.opener = opener;
  if (opener.pid !== undefined) watchProcess(opener.pid);
  const server = await withTimeout(host, opener.listen(apiAddress, 0));
  server.close();
  if (!hasLink) throw new Error("pasta has ended");
  const mirror = startPortMirror(host, opener.connect);
  const isPod = (address: string) => {
    const number = Number(address.slice(prefix.length));
    return address.startsWith(prefix) && number > 1 && number < 200;
  };
  return {
    name: "pod",
    connect: (address, port) => (isPod(address) ? opener.connect(address, port) : connectDirectly(address, port)),
    listen: opener.listen,
    bind: opener.bind,
    attach(address) {
      pods.add(address);
      void pods.holder(address).then(
        (pid) => mirror.add(address, pid),
        () => {},
      );
    },
    entry: async (address) => enter(`/proc/${await pods.holder(address)}/ns/net`),
    detach(address) {
      mirror.remove(address);
      pods.remove(address);
    },
    machineAddress: (address) => (address.startsWith("127.") ? link.machine : address),
    stop() {
      mirror.stop();
      stop(parts);
    },
  };
}

/** Account that owns nothing, in all distributions. */
const overflowId = 65_534;

function withoutPermissions(command: readonly string[]): readonly [string, ...string[]] {
  return ["setpriv", `--reuid=${overflowId}`, `--regid=${overflowId}`, "--clear-groups", "--", ...command];
}

async function withTimeout<T>({ clock }: Pick<Host, "clock">, awaited: Promise<T>): Promise<T> {
  const timedOut = clock.sleep(startTimeoutMs, { background: true }).then(() => undefined);
  const result = await Promise.race([awaited, timedOut]);
  if (result === undefined) throw new Error(`the network did not start in ${startTimeoutMs / 1000} s`);
  return result;
}

/** Creates pods' namespaces by commands to the script. */
function podNamespaces(script: ChildProcess) {
  let errorText = "";
  const [ready, setReady] = deferred<string>();
  const holders = new Map<string, ReturnType<typeof deferred<string>>>();
  script.onOutput(2, (chunk) => {
    if (errorText.length < 1000) errorText += Buffer.from(chunk).toString("utf8");
  });
  let rest = "";
  script.onOutput(1, (chunk) => {
    const lines = (rest + Buffer.from(chunk).toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, verb, number = "", text = ""] = /^(\w+) (\d+) ?(.*)$/.exec(line) ?? [];
      const [, settle] = holders.get(number) ?? [];
      if (verb === "ready") setReady(number);
      else if (verb === "ok") settle?.(text);
      else if (verb === "failed") settle?.(new Error(`failed to create the pod's network: ${text}`));
    }
  });
  void script.ended.then(() => {
    const error = new Error(errorText.trim().split("\n")[0] || "the network has ended");
    setReady(error);
    for (const [, settle] of holders.values()) settle(error);
  });
  const numberOf = (address: string) => address.slice(address.lastIndexOf(".") + 1);
  return {
    ready,
    add(address: string) {
      const number = numberOf(address);
      if (holders.has(number)) return;
      holders.set(number, deferred<string>());
      script.writeInput(`add ${number}\n`);
    },
    /** Returns the process that holds a pod's namespace. */
    async holder(address: string): Promise<string> {
      const holder = holders.get(numberOf(address));
      if (holder === undefined) throw new Error("the pod has no network");
      return holder[0];
    },
    remove(address: string) {
      const number = numberOf(address);
      if (holders.delete(number)) script.writeInput(`remove ${number}\n`);
    },
  };
}

function deferred<T>(): readonly [Promise<T>, (result: T | Error) => void] {
  let settle: (result: T | Error) => void = () => {};
  const promise = new Promise<T>((resolve, reject) => {
    settle = (result) => (result instanceof Error ? reject(result) : resolve(result));
  });
  promise.catch(() => {});
  return [promise, settle];
}
