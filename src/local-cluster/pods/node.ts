import type { PodLogs } from "../api/pod-logs.ts";
import type { PodSessions } from "../api/pod-sessions.ts";
import { chooseSandbox } from "../sandbox/choose-sandbox.ts";
import { startProvisioner } from "./claims.ts";
import { machineNames } from "./machine-names.ts";
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
  /** Notices about the sandbox for users. */
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
  const { host, directory, sandbox: choice } = options;
  const [sandbox, machine] = await Promise.all([chooseSandbox({ host, choice, directory }), machineNames(host)]);
  try {
    return runNode(options, { sandbox, machine, allocatable: await readAllocatable(host, directory) });
  } catch (error) {
    // The sandbox's watchdog would keep this process alive.
    await sandbox.stop();
    throw error;
  }
}

function runNode(options: NodeOptions, findings: NodeFindings): Node {
  const { host, store, api, isKept = false } = options;
  const { sandbox } = findings;
  const context = createNodeContext(options, findings);
  const node = nodeState(context);
  // Resume pods before subscribing: events would otherwise start them as new ones.
  for (const pod of isKept ? ownPods(store) : []) resumePod(node, pod);
  const register = () => registerNode(context);
  const unsubscribe = store.subscribe((event) => handleStoreEvent(node, event));
  const stopProvisioner = startProvisioner(store, host.files, context.claims);
  const stopForwarders = startServiceForwarders({
    ...{ store, clock: host.clock, addressOf: context.names.addressOf, nodeAddress: api.address },
  });
  register();
  const stopImageReports = startImageReports(context);
  scheduleRefresh(node);
  return {
    sandboxName: sandbox.name,
    notices: sandbox.notice === undefined ? [] : [sandbox.notice],
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
      stopImageReports();
      await stopPods(node, { isKept });
      context.privateDirectories.close();
    },
  };
}

function registerNode({ host, store, api, allocatable, images }: NodeContext): void {
  const { status, ...object } = nodeObject(host, api.address, allocatable);
  const reported = { ...status, ...imageStatus(images.list()) };
  if (store.create("nodes", { ...object, status: reported }) === undefined) {
    store.update("nodes", undefined, nodeName, (current) => ({ ...current, status: reported }));
  }
}

async function* emptyLog(): AsyncGenerator<Uint8Array> {}
