import type { Socket } from "node:net";
import { cacheDirectory } from "../../host/cache-directory.ts";
import type { Host } from "../../host/host.ts";
import { machineName } from "../../host/machine-name.ts";
import { removeTree } from "../../host/remove-tree.ts";
import { stateDirectory } from "../../host/state-directory.ts";
import type { Store } from "../api/store.ts";
import type { Images } from "../images/image.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Isolation } from "./isolation.ts";
import type { HostsLine } from "./machine-names.ts";
import type { PodNetwork } from "./network/pod-network.ts";
import { type NetworkNames, networkNames } from "./network-names.ts";
import { type Allocatable, nodeName } from "./node-object.ts";
import { type PodEvents, podEvents } from "./pod-events.ts";
import type { IssueToken } from "./pod-tokens.ts";
import { type PrivateDirectories, privateDirectories } from "./private-directories.ts";
import { isPod, type StoredPod } from "./stored-object.ts";

export interface NodeOptions {
  readonly host: Host;
  readonly store: Store;
  /** Existing private directory for pods, their volumes and logs. */
  readonly directory: string;
  /** Address at which pods reach the API: `.1` of the cluster's /24; pods get `.2` to `.199`. */
  readonly api: { readonly address: string; readonly port: number };
  readonly issueToken: IssueToken;
  readonly images: Images;
  /** Sandbox and network of the pods. The node stops them. */
  readonly isolation: Isolation;
  /** Serves a connection to the API from the network of the pods. */
  readonly serveConnection?: ((socket: Socket) => void) | undefined;
  /** Host directories that `hostPath` volumes can use. @default the user's home, the temporary root and the cache */
  readonly hostPathRoots?: readonly string[];
  /** Whether a shuffle service runs beside the pods. @default false */
  readonly hasShuffleService?: boolean;
  /** Whether pods of an earlier node are resumed, and logs and claims are kept for the next one. @default false */
  readonly isKept?: boolean;
}

/** Facts determined before the node runs. */
export interface NodeFindings {
  readonly sandbox: Sandbox;
  readonly machine: readonly HostsLine[];
  readonly network: PodNetwork;
  readonly allocatable: Allocatable;
}

/** Context shared by all pods of the node. */
export interface NodeContext
  extends Pick<NodeOptions, "host" | "store" | "images" | "issueToken" | "api">,
    Pick<NodeFindings, "sandbox" | "allocatable" | "network"> {
  /** With the fake sandbox, no process runs and no file is read, so neither volumes nor hosts files are created. */
  readonly isFake: boolean;
  readonly events: PodEvents;
  readonly names: NetworkNames;
  /** Connection between the node and the API; chaos can cut it. */
  readonly link: { isDisconnected: boolean };
  /** Directory with a subdirectory per pod. */
  readonly directory: string;
  /** The same for memory-backed volumes. */
  readonly memoryDirectory: string;
  /** Directory with a subdirectory per claim. */
  readonly claims: string;
  readonly hostPathRoots: readonly string[];
  readonly privateDirectories: PrivateDirectories;
  readonly hasShuffleService: boolean;
}

/** Removes the files of pods that an earlier node ran, except logs of existing pods. */
function removeStalePodDirectories(files: Host["files"], directory: string, pods: readonly StoredPod[]): void {
  const known = new Set(pods.map(({ metadata }) => metadata.uid));
  for (const uid of files.list(directory) ?? []) {
    if (!known.has(uid)) removeTree(files, `${directory}/${uid}`);
    for (const name of files.list(`${directory}/${uid}`) ?? [])
      if (name !== "logs") removeTree(files, `${directory}/${uid}/${name}`);
  }
}

/** Creates the context and the node's directories. */
export function createNodeContext(options: NodeOptions, findings: NodeFindings): NodeContext {
  const { sandbox, allocatable, network } = findings;
  const machine: readonly HostsLine[] = [["127.0.0.1", machineName], ...findings.machine];
  const machineOfPods = machine.map(([address, ...names]): HostsLine => [network.machineAddress(address), ...names]);
  const machineFor = ({ spec }: StoredPod) => (spec.hostNetwork === true ? machine : machineOfPods);
  const { host, store, directory, api, images, issueToken } = options;
  const { files, user } = host;
  const isFake = sandbox.name === "fake";
  const pods = `${directory}/pods`;
  files.makeDirectory(pods, { mode: 0o700 });
  removeStalePodDirectories(files, pods, options.isKept === true ? ownPods(store) : []);
  const memoryDirectory = isFake ? `${directory}/memory` : makeMemoryDirectory(host, directory);
  if (!isFake) sandbox.watchDirectory(memoryDirectory);
  return {
    ...{
      host,
      store,
      sandbox,
      isFake,
      images,
      issueToken,
      api,
      directory: pods,
      memoryDirectory,
      allocatable,
      network,
    },
    hasShuffleService: options.hasShuffleService ?? false,
    claims: `${directory}/claims`,
    // The cache may be outside the home; examples are compiled into it.
    hostPathRoots: options.hostPathRoots ?? [user.home, files.temporaryRoot, cacheDirectory(host)],
    privateDirectories: privateDirectories(files, [directory, stateDirectory(host)]),
    link: { isDisconnected: false },
    events: podEvents(store, host, nodeName),
    names: networkNames({
      host,
      store,
      isFake,
      apiAddress: api.address,
      aliases: ownAliases(host, sandbox),
      machineFor,
    }),
  };
}

function makeMemoryDirectory({ files }: Host, fallback: string): string {
  const shared = files.info("/dev/shm")?.kind === "directory" ? "/dev/shm" : fallback;
  return files.makeTemporaryDirectory(`${shared}/firesteel-`);
}

/**
 * Lists the additional names of a pod's address: without its own UTS namespace, a program gets this machine's host
 * name and must be able to resolve it.
 */
function ownAliases({ files }: Host, { name }: Sandbox): string[] {
  const hostname = files.readText("/proc/sys/kernel/hostname")?.trim() ?? "";
  return name === "process" && hostname !== "" ? [hostname] : [];
}

/** Lists the pods that are bound to the node. */
export function ownPods(store: Store): readonly StoredPod[] {
  return store
    .list("pods")
    .filter(isPod)
    .filter(({ spec }) => spec.nodeName === nodeName);
}
