import type { Host } from "../host/host.ts";
import { type Log, sparkLog } from "../host/log.ts";
import type { KubeResource } from "../kube/types.ts";
import type { KubeClient } from "../kube-client/client.ts";
import { connectionOptions } from "../masters/kubernetes/connect/connection-options.ts";
import type { OpenClient } from "../masters/master-strategy.ts";
import { executorGrowth, initialExecutors } from "../plan/executor-count.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import type { SendToRegistry } from "../registry/session.ts";
import { checkAdmission } from "./checks/check-admission.ts";
import { checkConnection, connectionFailure } from "./checks/check-connection.ts";
import { checkImages } from "./checks/check-image.ts";
import { checkNamespace } from "./checks/check-namespace.ts";
import { checkNodes } from "./checks/check-nodes.ts";
import { checkObjects } from "./checks/check-objects.ts";
import { checkDriverPermissions, checkPermissions } from "./checks/check-permissions.ts";
import { checkQuota } from "./checks/check-quota.ts";
import { checkShuffleService } from "./checks/check-shuffle-service.ts";
import { checkUser } from "./checks/check-user.ts";
import type { ClaimedVolumes } from "./checks/volume-nodes.ts";
import { reviewOwn } from "./fetch/access-reviews.ts";
import { type ClusterFacts, fetchFacts } from "./fetch/fetch-facts.ts";
import { foundValue } from "./fetch/fetched.ts";
import { driverActions, submitterActions } from "./fetch/needed-permissions.ts";
import type { ObservedConnection } from "./fetch/open-observed.ts";
import { checkNames, type Finding, skipped } from "./finding.ts";
import { type PlannedPod, type PlannedSubmission, podsIn } from "./submission.ts";

/** Inputs of the checks that need the cluster. */
export interface ClusterCall {
  readonly host: Host;
  readonly request: SubmitRequest;
  readonly submission: PlannedSubmission;
  /** Connects to the API. @default over the network */
  readonly openClient?: OpenClient | undefined;
  /** Sends requests to registries. @default over the network */
  readonly sendToRegistry?: SendToRegistry | undefined;
}

const clusterChecks = checkNames.slice(checkNames.indexOf("namespace"));

/** Checks a submission against its cluster. Creates nothing. */
export function checkCluster(call: ClusterCall): Promise<readonly Finding[]> {
  return withFacts(call, async (facts, opened) => {
    const { namespace, pods, conf } = call.submission;
    const admitted = podsIn(
      facts.dryRuns.map(({ part, object, admitted: changed }) => ({ part, object: changed ?? object })),
    );
    const nodes = foundValue(facts.nodes) ?? [];
    return [
      ...checkAccess(call, facts, opened),
      ...checkQuota(facts.quotas, { pods, executors: initialExecutors(conf), growth: executorGrowth(conf) }),
      ...checkNodes({ ...facts, volumes: claimedVolumes(facts) }, inNamespace(admitted, namespace)),
      ...checkUser(admitted),
      ...(await imageFindings(call, opened.client, { pods: admitted, nodes, usable: nodes })),
      ...checkAdmission(facts.dryRuns),
    ];
  });
}

/** Does the checks that need no complete pods: the API, accounts, the objects that settings name, and images. */
export function checkReachable(call: ClusterCall): Promise<readonly Finding[]> {
  return withFacts(call, async (facts, opened) => {
    const { pods } = call.submission;
    const nodes = foundValue(facts.nodes) ?? [];
    return [
      ...checkAccess(call, facts, opened),
      ...(await imageFindings(call, opened.client, { pods, nodes, usable: [] })),
    ];
  });
}

function checkAccess({ request, submission }: ClusterCall, facts: ClusterFacts, opened: Opened): readonly Finding[] {
  const { namespace } = submission;
  return [
    ...checkConnection(request.apiServer, opened.observed, facts.now),
    ...checkNamespace(namespace, facts.namespace),
    ...checkPermissions(submitterActions(submission), facts.own, namespace),
    ...checkDriverPermissions(driverActions(submission), facts.driver, { namespace, account: accountOf(submission) }),
    ...checkObjects(facts.references, namespace),
    ...checkShuffleService(submission.conf, facts),
  ];
}

function accountOf({ pods }: PlannedSubmission): string {
  return pods.find(({ role }) => role === "driver")?.spec.serviceAccountName ?? "default";
}

/** Fetches the facts of the cluster. Without them, returns why there are none. */
async function withFacts(
  call: ClusterCall,
  check: (facts: ClusterFacts, opened: Opened) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const { host, submission } = call;
  const { namespace } = submission;
  const unreachable = (error: unknown): readonly Finding[] => [
    connectionFailure(error),
    ...clusterChecks.map((name) => skipped(name, "It needs the API.")),
  ];
  let opened: Opened;
  try {
    opened = await open(call, sparkLog(host, "ERROR"));
  } catch (error) {
    return unreachable(error);
  }
  const client = opened.client.withoutRetries();
  try {
    // One request before all others: its failure is that of every other one.
    await reviewOwn(client, { verb: "create", group: "", resource: "pods", namespace });
    const now = host.clock.now();
    const facts = await fetchFacts(client, submission, { account: accountOf(submission), now });
    return await check(facts, { ...opened, client });
  } catch (error) {
    return unreachable(error);
  } finally {
    opened.client.close();
  }
}

function claimedVolumes({ references }: ClusterFacts): ClaimedVolumes {
  return new Map(
    references.flatMap(({ reference: { name }, volume }) => (volume === undefined ? [] : [[name, volume] as const])),
  );
}

/** Returns the pods with the namespace that they are created in. */
function inNamespace(pods: readonly PlannedPod[], namespace: string): readonly PlannedPod[] {
  return pods.map((pod) => ({ ...pod, metadata: { ...pod.metadata, namespace } }));
}

interface ImageInput {
  /** Pods as they are after admission. */
  readonly pods: readonly PlannedPod[];
  readonly nodes: readonly KubeResource[];
  /** Nodes that the pods may use, as far as that is known: the images must be for their platforms. */
  readonly usable: readonly KubeResource[];
}

/** Checks the images of the pods, with the pull secrets of their service accounts. */
async function imageFindings(
  { host, submission: { namespace }, sendToRegistry }: ClusterCall,
  client: KubeClient,
  { pods, nodes, usable }: ImageInput,
): Promise<readonly Finding[]> {
  const { fetchImages } = await import("./fetch/fetch-images.ts");
  const { openRegistries } = await import("../registry/open-registries.ts");
  const registries = sendToRegistry === undefined ? openRegistries(host) : { send: sendToRegistry, close: () => {} };
  try {
    return checkImages(await fetchImages(client, { pods, nodes, namespace, send: registries.send }), {
      nodes: usable,
      pods,
    });
  } finally {
    registries.close();
  }
}

interface Opened {
  readonly client: KubeClient;
  readonly observed: ObservedConnection;
}

async function open({ host, request, openClient }: ClusterCall, log: Log): Promise<Opened> {
  const options = connectionOptions(request, log);
  if (openClient !== undefined) return { client: await openClient(host, options), observed: {} };
  const { openObserved } = await import("./fetch/open-observed.ts");
  return openObserved(host, options);
}
