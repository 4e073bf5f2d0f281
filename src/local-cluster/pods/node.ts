import { shuffleServiceAnnotation } from "../../kube/shuffle-service-annotation.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { PodLogs } from "../api/pod-logs.ts";
import type { PodSessions } from "../api/pod-sessions.ts";
import { eventRecorder } from "../events/event-recorder.ts";
import { startProvisioner } from "./claims.ts";
import { startDnsServer } from "./dns-server.ts";
import { startHostPorts } from "./host-ports.ts";
import type { PodNetwork } from "./network/pod-network.ts";
import { createNodeContext, type NodeContext, type NodeFindings, type NodeOptions, ownPods } from "./node-context.ts";
import { imageStatus, startImageReports } from "./node-images.ts";
import { type NodeIncidents, nodeIncidents } from "./node-incidents.ts";
import { nodeName, nodeObject, readAllocatable } from "./node-object.ts";
import { handleStoreEvent, nodeState, resumePod, scheduleRefresh, stopPods, workerOf } from "./node-state.ts";
import type { PodEvents } from "./pod-events.ts";
import { podSessions } from "./pod-sessions.ts";
import { startServiceForwarders } from "./service-forwarders.ts";

/** The only node of the embedded cluster: its kubelet and its network names. */
export interface Node {
  readonly logs: PodLogs;
  readonly sessions: PodSessions;
  readonly incidents: NodeIncidents;
  /** Recorder of the kubelet's events, which the scheduler shares. */
  readonly events: PodEvents;
  /** Name of the sandbox that runs pods. */
  readonly sandboxName: string;
  /** Network of the pods, and their name for this machine. */
  readonly network: Pick<PodNetwork, "name" | "machineName">;
  /** Notices about the sandbox and the network for users. */
  readonly notices: readonly string[];
  /**
   * Kills all pods' processes and removes their directories and, unless they are kept, logs and claims. Objects stay
   * in the store.
   */
  readonly stop: () => Promise<void>;
}

/**
 * Registers the node and runs the pods that are bound to it.
 *
 * @throws SUBMIT_ERR_SANDBOX when the requested sandbox does not work here.
 */
export async function startNode(options: NodeOptions): Promise<Node> {
  const { host, directory, api, isolation } = options;
  const [sandbox, network, machine] = await Promise.all([
    isolation.sandbox,
    isolation.openNetwork(api.address),
    isolation.machine,
  ]);
  const allocatable = readAllocatable(host, directory);
  return runNode(options, { sandbox, machine, network: withApi(options, network), allocatable });
}

/** Port of the API at its service. */
const servicePort = 443;

/** Returns a network that pods enter when it serves the API. */
function withApi(options: NodeOptions, network: PodNetwork): PodNetwork {
  const served = serveApi(options, network);
  // A failure is reported by `entry`.
  served.catch(() => {});
  return {
    ...network,
    async entry(address) {
      await served;
      return await network.entry(address);
    },
  };
}

/** Serves the API in the network of the pods, at its own port and at its service's. */
async function serveApi({ api, serveConnection }: NodeOptions, { listen }: PodNetwork): Promise<void> {
  if (listen === undefined || serveConnection === undefined) return;
  const servers = await Promise.all([...new Set([api.port, servicePort])].map((port) => listen(api.address, port)));
  for (const server of servers) {
    server.on("connection", serveConnection);
    server.unref();
  }
}

function runNode(options: NodeOptions, findings: NodeFindings): Node {
  const { host, store, api, isKept = false } = options;
  const { sandbox, network } = findings;
  const context = createNodeContext(options, findings);
  const node = nodeState(context);
  // Resume pods before subscribing: events would otherwise start them as new ones.
  for (const pod of isKept ? ownPods(store) : []) resumePod(node, pod);
  const register = () => registerNode(context);
  const unsubscribe = store.subscribe((event) => handleStoreEvent(node, event));
  const stopProvisioner = startProvisioner(store, host.files, context.claims);
  const { addressOf } = context.names;
  const forwarding = { network, store, addressOf, nodeAddress: api.address };
  const stopForwarders = startServiceForwarders({ ...forwarding, clock: host.clock });
  const stopHostPorts = context.isFake ? () => {} : startHostPorts(forwarding);
  const stopDns = startDnsServer({ host, network, store, addressOf, apiAddress: api.address });
  stopDns.catch(() => {});
  register();
  recordNetwork(context);
  const stopImageReports = startImageReports(context);
  scheduleRefresh(node);
  return {
    sandboxName: sandbox.name,
    network,
    notices: [sandbox.notice, network.notice].filter((notice) => notice !== undefined),
    logs: {
      read: (request) => workerOf(node, request.namespace, request.pod)?.readLog(request) ?? { chunks: emptyLog() },
    },
    sessions: podSessions((namespace, pod) => workerOf(node, namespace, pod)?.workerState),
    incidents: nodeIncidents(node, register),
    events: context.events,
    async stop() {
      unsubscribe();
      stopProvisioner();
      stopForwarders();
      stopHostPorts();
      (await stopDns.catch(() => undefined))?.();
      stopImageReports();
      await stopPods(node, { isKept });
      network.stop();
      context.privateDirectories.close();
    },
  };
}

function registerNode({ host, store, api, allocatable, images, hasShuffleService }: NodeContext): void {
  const { status, ...object } = nodeObject(host, api.address, allocatable);
  const reported = { ...status, ...imageStatus(images.list()) };
  const created = store.create("nodes", { ...object, status: reported });
  if (created === undefined) store.update("nodes", undefined, nodeName, (node) => ({ ...node, status: reported }));
  // An earlier run may have had another choice.
  store.update("nodes", undefined, nodeName, ({ metadata, ...node }) => ({
    ...node,
    metadata: { ...metadata, annotations: withShuffleService(metadata.annotations, hasShuffleService) },
  }));
}

function withShuffleService(annotations: KubeResource["metadata"]["annotations"], isServed: boolean) {
  const { [shuffleServiceAnnotation]: _, ...others } = annotations ?? {};
  return isServed ? { ...others, [shuffleServiceAnnotation]: "true" } : others;
}

/** Records an event if the requested network is not available. */
function recordNetwork({ store, host, network: { notice } }: NodeContext): void {
  const node = store.get("nodes", undefined, nodeName);
  if (notice === undefined || node === undefined) return;
  const source = { component: "kubelet", host: nodeName };
  eventRecorder(store, host.clock).record(node, {
    ...{ ...source, type: "Warning", reason: "PodNetworkUnavailable", message: notice },
  });
}

async function* emptyLog(): AsyncGenerator<Uint8Array> {}
