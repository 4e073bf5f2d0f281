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

/** Options of the cluster's node. */
export interface NodeOptions {
  readonly host: Host;
  readonly store: Store;
  /** Existing private directory for pods, their volumes and logs. */
  readonly directory: string;
  /** Address at which pods reach the API: `.1` of the cluster's /24; pods get `.2` to `.199`. */
  readonly api: { readonly address: string; readonly port: number };
  readonly issueToken: IssueToken;
  readonly images: Images;
  readonly sandbox: ClusterOptions["sandbox"];
  /** Host directories that `hostPath` volumes can use. @default the user's home, the temporary root and the cache */
  readonly hostPathRoots?: readonly string[];
  /** Whether the pods' total requests may exceed the node's resources. @default true */
  readonly overcommits?: boolean;
  /** Whether pods of an earlier node are resumed, and logs and claims are kept for the next one. @default false */
  readonly isKept?: boolean;
}

/** The only node of the embedded cluster: its scheduler, its kubelet, its names. */
export interface Node {
  readonly logs: PodLogs;
  readonly sessions: PodSessions;
  readonly incidents: NodeIncidents;
  /** Name of the sandbox that runs pods. */
  readonly sandboxName: string;
  /** Notices about the sandbox for users. */
  readonly notices: readonly string[];
  /**
   * Kills all pods' processes and removes their directories and, unless they are kept, logs and claims. Objects stay
   * in the store.
   */
  readonly stop: () => Promise<void>;
}

/** Interval at which volumes are updated and tokens renewed, in ms. */
const refreshMs = 60_000;

/**
 * Registers the node, schedules pods on it and runs them.
 *
 * @throws SUBMIT_ERR_SANDBOX when the requested sandbox does not work here.
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
    // The sandbox's watchdog would keep this process alive.
    await sandbox.stop();
    throw error;
  }
}

/** Facts determined before the node runs. */
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
    if (context.link.isDisconnected) return;
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

  // Resume pods before subscribing: events would otherwise start them as new ones.
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
    sessions: podSessions((namespace, pod) => workerOf(namespace, pod)?.workerState),
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

/** Resumes a pod of an earlier node. */
function resumePodWorker(context: NodeContext, pod: StoredPod): PodWorker {
  const runtime = restoreState(pod, context.host.clock.now());
  if (!runtime.isTerminated && runtime.termination === undefined) {
    const message = "Pod sandbox changed, it will be killed and re-created.";
    context.events.record(pod, { type: "Normal", reason: "SandboxChanged", message });
  }
  return startPodWorker(context, pod, runtime);
}

/** Removes the files of pods that an earlier node ran, except logs of existing pods. */
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
  const isFake = sandbox.name === "fake";
  const pods = `${directory}/pods`;
  files.makeDirectory(pods, { mode: 0o700 });
  removeStalePodDirectories(files, pods, options.isKept === true ? ownPods(store) : []);
  const memoryDirectory = isFake ? `${directory}/memory` : makeMemoryDirectory(host, directory);
  if (!isFake) sandbox.watchDirectory(memoryDirectory);
  return {
    host,
    store,
    sandbox,
    isFake,
    images,
    issueToken,
    api,
    directory: pods,
    memoryDirectory,
    claims: `${directory}/claims`,
    // The cache may be outside the home; examples are compiled into it.
    hostPathRoots: options.hostPathRoots ?? [user.home, files.temporaryRoot, cacheDirectory(host)],
    allocatable,
    link: { isDisconnected: false },
    events: podEvents(store, host, nodeName),
    names: networkNames({
      ...{ host, store, isFake, apiAddress: api.address },
      aliases: ownAliases(host, sandbox),
      machine,
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
