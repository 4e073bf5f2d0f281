import { cacheDirectory } from "../../host/cache-directory.ts";
import type { Host } from "../../host/host.ts";
import { removeTree } from "../../host/remove-tree.ts";
import { isFinalPhase } from "../../kube/pod-phase.ts";
import type { PodLogs } from "../api/pod-logs.ts";
import type { PodSessions } from "../api/pod-sessions.ts";
import type { Store, StoreEvent } from "../api/store.ts";
import type { ClusterOptions } from "../cluster-options.ts";
import { startScheduler } from "../controllers/scheduling/scheduler.ts";
import type { Images } from "../images/image.ts";
import { chooseSandbox } from "../sandbox/choose-sandbox.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { startProvisioner } from "./claims.ts";
import { type HostsLine, machineNames } from "./machine-names.ts";
import { networkNames } from "./network-names.ts";
import type { NodeContext } from "./node-context.ts";
import { type NodeIncidents, nodeIncidents } from "./node-incidents.ts";
import { type Allocatable, nodeName, nodeObject, readAllocatable } from "./node-object.ts";
import { podEvents } from "./pod-events.ts";
import { podSessions } from "./pod-sessions.ts";
import type { IssueToken } from "./pod-tokens.ts";
import { type PodWorker, startPodWorker } from "./pod-worker.ts";
import { restoreState } from "./restore-state.ts";
import { startServiceForwarders } from "./service-forwarders.ts";
import { isPod, type StoredPod } from "./stored-pod.ts";

/** What the node needs of the cluster that it belongs to. */
export interface NodeOptions {
  readonly host: Host;
  readonly store: Store;
  /** Folder for pods, their volumes and logs; exists, private to us. */
  readonly directory: string;
  /** Where pods reach the API; the address is `.1` of the cluster's /24, pods get `.2` to `.199`. */
  readonly api: { readonly address: string; readonly port: number };
  readonly issueToken: IssueToken;
  readonly images: Images;
  readonly sandbox: ClusterOptions["sandbox"];
  /** Host folders below which `hostPath` volumes may lie. @default the user's home and the temporary root */
  readonly hostPathRoots?: readonly string[];
  /** Whether pods together may ask for more than there is. @default true */
  readonly overcommits?: boolean;
  /** Pods of an earlier node are taken up, and logs and claims' folders left for the next one. @default false */
  readonly isKept?: boolean;
}

/** The one node of the embedded cluster: its scheduler, its kubelet, its names. */
export interface Node {
  readonly logs: PodLogs;
  readonly sessions: PodSessions;
  readonly incidents: NodeIncidents;
  /** Which sandbox runs pods. */
  readonly sandboxName: string;
  /** What users should know of it, a text each. */
  readonly notices: readonly string[];
  /** Kills all pods' processes and removes their folders and, unless they are kept, logs and claims; objects stay as they are. */
  readonly stop: () => Promise<void>;
}

/** How often volumes are brought up to date and tokens renewed without another reason, in ms. */
const refreshMs = 60_000;

/**
 * Registers the node, schedules pods on it and runs them.
 *
 * @throws SUBMIT_ERR_SANDBOX when the sandbox that was asked for does not work here.
 */
export async function startNode(options: NodeOptions): Promise<Node> {
  const { host, directory, sandbox: choice } = options;
  const [sandbox, machine] = await Promise.all([
    chooseSandbox({ host, choice, directory }),
    machineNames(host),
  ]);
  try {
    return runNode(options, { sandbox, machine, allocatable: await readAllocatable(host, directory) });
  } catch (error) {
    // It watches over us, and would keep this process alive.
    await sandbox.stop();
    throw error;
  }
}

/** What is found out before the node runs. */
interface NodeFindings {
  readonly sandbox: Sandbox;
  readonly machine: readonly HostsLine[];
  readonly allocatable: Allocatable;
}

function runNode(options: NodeOptions, findings: NodeFindings): Node {
  const { host, store, api, isKept = false, overcommits = true } = options;
  const { sandbox } = findings;
  const context = nodeContext(options, findings);
  const workers = new Map<string, PodWorker>();
  const removals = new Set<Promise<void>>();

  function follow({ type, collection, object }: StoreEvent): void {
    if (context.link.isCut) return;
    if (collection === "pods" && isPod(object)) {
      const { uid } = object.metadata;
      const worker = workers.get(uid);
      if (type === "DELETED") {
        workers.delete(uid);
        const removal = worker?.remove().finally(() => removals.delete(removal ?? Promise.resolve()));
        if (removal !== undefined) removals.add(removal);
      } else if (worker !== undefined) {
        worker.update(object);
      } else if (object.spec.nodeName === nodeName && !isFinalPhase(object.status?.phase)) {
        workers.set(uid, startPodWorker(context, object));
      }
    } else if (["configmaps", "secrets", "persistentvolumeclaims"].includes(collection)) {
      for (const worker of workers.values()) {
        if (type !== "DELETED") worker.requestSync();
        worker.refresh();
      }
    }
  }

  // Before anything is heard of them, or they would be taken for new ones.
  for (const pod of isKept ? ownPods(store) : [])
    workers.set(pod.metadata.uid, resumePodWorker(context, pod));
  const register = () =>
    registerNode(store, host, { address: api.address, allocatable: context.allocatable });
  const unsubscribe = store.subscribe(follow);
  const stopProvisioner = startProvisioner(store, host.files, context.claims);
  const stopForwarders = startServiceForwarders({
    ...{ store, clock: host.clock, addressOf: context.names.addressOf, nodeAddress: api.address },
  });
  register();
  const stopScheduler = startScheduler({ host, store, events: context.events, overcommits });
  let cancelRefresh = host.clock.after(refreshMs, refresh);
  function refresh(): void {
    for (const worker of workers.values()) worker.refresh();
    cancelRefresh = host.clock.after(refreshMs, refresh);
  }

  function workerOf(namespace: string, name: string): PodWorker | undefined {
    const pod = store.get("pods", namespace, name);
    return pod === undefined ? undefined : workers.get(pod.metadata.uid);
  }

  return {
    sandboxName: sandbox.name,
    notices: sandbox.notice === undefined ? [] : [sandbox.notice],
    logs: {
      read: (request) => workerOf(request.namespace, request.pod)?.readLog(request) ?? { chunks: nothing() },
    },
    sessions: podSessions((namespace, pod) => workerOf(namespace, pod)?.work),
    incidents: nodeIncidents({ context, workers, workerOf, register, handleEvent: follow }),
    async stop() {
      unsubscribe();
      stopScheduler();
      stopProvisioner();
      stopForwarders();
      cancelRefresh();
      const ends = [...workers.values()].map((worker) => (isKept ? worker.halt() : worker.remove()));
      await Promise.all([...ends, ...removals]);
      workers.clear();
      context.names.stop();
      await sandbox.stop();
      for (const path of isKept ? [] : [context.directory, context.claims]) removeTree(host.files, path);
      removeTree(host.files, context.memoryDirectory);
    },
  };
}

function ownPods(store: Store): readonly StoredPod[] {
  return store
    .list("pods")
    .filter(isPod)
    .filter(({ spec }) => spec.nodeName === nodeName);
}

/** Takes up a pod of an earlier node. */
function resumePodWorker(context: NodeContext, pod: StoredPod): PodWorker {
  const runtime = restoreState(pod, context.host.clock.now());
  if (!runtime.isTerminated && runtime.termination === undefined) {
    const message = "Pod sandbox changed, it will be killed and re-created.";
    context.events.record(pod, { type: "Normal", reason: "SandboxChanged", message });
  }
  return startPodWorker(context, pod, runtime);
}

/** Of pods that an earlier node ran, only the logs are of use. */
function removeStalePodDirectories(
  files: Host["files"],
  directory: string,
  pods: readonly StoredPod[],
): void {
  const known = new Set(pods.map(({ metadata }) => metadata.uid));
  for (const uid of files.list(directory) ?? []) {
    if (!known.has(uid)) removeTree(files, `${directory}/${uid}`);
    for (const name of files.list(`${directory}/${uid}`) ?? [])
      if (name !== "logs") removeTree(files, `${directory}/${uid}/${name}`);
  }
}

function nodeContext(options: NodeOptions, { sandbox, machine, allocatable }: NodeFindings): NodeContext {
  const { host, store, directory, api, images, issueToken } = options;
  const { files, user } = host;
  const isPlayed = sandbox.name === "fake";
  const pods = `${directory}/pods`;
  files.makeDirectory(pods, { mode: 0o700 });
  removeStalePodDirectories(files, pods, options.isKept === true ? ownPods(store) : []);
  const memoryDirectory = isPlayed ? `${directory}/memory` : makeMemoryDirectory(host, directory);
  if (!isPlayed) sandbox.watchDirectory(memoryDirectory);
  return {
    host,
    store,
    sandbox,
    isPlayed,
    images,
    issueToken,
    api,
    directory: pods,
    memoryDirectory,
    claims: `${directory}/claims`,
    // The cache may lie elsewhere; examples are compiled into it.
    hostPathRoots: options.hostPathRoots ?? [user.home, files.temporaryRoot, cacheDirectory(host)],
    allocatable,
    link: { isCut: false },
    events: podEvents(store, host, nodeName),
    names: networkNames({
      ...{ host, store, isPlayed, apiAddress: api.address },
      aliases: ownAliases(host, sandbox),
      machine,
    }),
  };
}

function makeMemoryDirectory({ files }: Host, fallback: string): string {
  const shared = files.info("/dev/shm")?.kind === "directory" ? "/dev/shm" : fallback;
  return files.makeTemporaryDirectory(`${shared}/firesteel-`);
}

/** Without a name space of its own, a program asks this machine for its name and must find it. */
function ownAliases({ files }: Host, { name }: Sandbox): string[] {
  const hostname = files.readText("/proc/sys/kernel/hostname")?.trim() ?? "";
  return name === "process" && hostname !== "" ? [hostname] : [];
}

function registerNode(
  store: Store,
  host: Host,
  { address, allocatable }: { readonly address: string; readonly allocatable: Allocatable },
): void {
  const object = nodeObject(host, address, allocatable);
  if (store.create("nodes", object) === undefined) {
    store.update("nodes", undefined, nodeName, (current) => ({ ...current, status: object["status"] }));
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
