import type { PodSpec } from "../../kube/types.ts";
import { isFields } from "../../values/fields.ts";
import { compareQuantities } from "../../values/quantity.ts";
import type { CauseName } from "../causes.ts";
import type { PodView } from "../pod-view.ts";
import { fitsEmptyNode, offersOf, printAmount, requestOf } from "../resources.ts";
import type { Exclusion, SchedulerMessage } from "../scheduler-message.ts";
import { keys } from "../settings.ts";
import { objectsOf, type View } from "../view.ts";

/** Reason why a scheduler excludes nodes: its message, and Firesteel's explanation. */
export interface SchedulingReason {
  readonly cause: CauseName;
  readonly pattern: RegExp;
  readonly remedy: string;
  /** Describes what is wrong with the nodes, after "no node": a clause with the amounts and names. */
  readonly explain: (schedulerMessage: SchedulerMessage, exclusion: Exclusion) => string;
  readonly key: (schedulerMessage: SchedulerMessage, exclusion: Exclusion) => string | undefined;
  /** Whether the nodes remain excluded. */
  readonly isTerminal: (schedulerMessage: SchedulerMessage, exclusion: Exclusion) => boolean;
}

const always = () => true;
const template = ({ pod }: SchedulerMessage) => (pod.role === "driver" ? keys.template : keys.executorTemplate);

/** Reasons in order of precedence: the first match applies. */
export const schedulingReasons: readonly SchedulingReason[] = [
  resourceReason("insufficient-cpu", /^Insufficient cpu$/, (role) =>
    role === "driver" ? keys.driverRequestCores : keys.executorRequestCores,
  ),
  resourceReason("insufficient-memory", /^Insufficient memory$/, (role) =>
    role === "driver" ? keys.driverMemory : keys.executorMemory,
  ),
  resourceReason("insufficient-ephemeral-storage", /^Insufficient ephemeral-storage$/, (role) =>
    role === "driver" ? keys.template : keys.executorTemplate,
  ),
  {
    cause: "too-many-pods",
    pattern: /^(Too many pods|Insufficient pods)$/,
    remedy: "Wait until pods end, or add nodes.",
    explain: ({ view, pod }) => {
      const [most] = offersOf(view, pod.spec, "pods");
      return `too many pods: every node has as many as it may${most === undefined ? "" : ` (${printAmount(most.amount, "pods")})`}`;
    },
    key: () => undefined,
    isTerminal: () => false,
  },
  resourceReason("insufficient-extended-resource", /^Insufficient (\S+)$/, (role) =>
    role === "driver" ? keys.driverResource : keys.executorTemplate,
  ),
  {
    cause: "untolerated-taint",
    pattern: /untolerated taint|had taints? .*(?:that the pod didn't tolerate)?|pod didn't tolerate/,
    remedy: "Add the toleration in the pod template, or remove the taint from a node.",
    explain: ({ view }, { text }) => `taints the pod does not tolerate${inBrackets(taintsOf(view, text))}`,
    key: template,
    isTerminal: ({ view }, { text }) =>
      !taintsOf(view, text).some((taint) => /node\.kubernetes\.io\/(not-ready|unreachable|.*-pressure)/.test(taint)),
  },
  {
    cause: "node-unschedulable",
    pattern: /were unschedulable|unschedulable$/,
    remedy: "Uncordon a node, or add nodes.",
    explain: ({ view }) => `cordoned, that is unschedulable${inBrackets(cordoned(view))}`,
    key: () => undefined,
    isTerminal: always,
  },
  {
    cause: "node-selector-mismatch",
    pattern:
      /didn't match (Pod's )?node (affinity|selector)|node affinity\/selector|MatchNodeSelector|didn't satisfy plugin\(s\) \[NodeAffinity\]/,
    remedy: "Label a node, or change the node selector or affinity.",
    explain: ({ pod }) => `nothing of what the pod selects: ${selectionOf(pod.spec).join(", ")}`,
    key: selectorKey,
    isTerminal: always,
  },
  {
    cause: "pod-affinity-mismatch",
    pattern: /pod (anti-)?affinity|anti-affinity rules|affinity\/anti-affinity/,
    remedy: "Add nodes, or relax the affinity in the pod template.",
    explain: ({ pod }, { text }) =>
      `excluded by the pod ${/anti-affinity/.test(text) ? "anti-affinity" : "affinity"}${inBrackets(affinityTerms(pod.spec))}`,
    key: template,
    isTerminal: always,
  },
  {
    cause: "topology-spread-mismatch",
    pattern: /topology spread constraints/,
    remedy: "Add nodes in the other zones or hosts, or relax topologySpreadConstraints in the pod template.",
    explain: ({ pod }) => `excluded by a topology spread constraint${inBrackets(spreadKeys(pod.spec))}`,
    key: template,
    isTerminal: always,
  },
  {
    cause: "host-port-taken",
    pattern: /free ports for the requested pod ports|PodFitsHostPorts/,
    remedy: "Drop hostPort from the pod template, or choose another port.",
    explain: ({ pod }) => `the host port ${hostPorts(pod.spec).join(", ")} is in use`,
    key: template,
    isTerminal: always,
  },
  {
    cause: "pvc-unbound",
    pattern: /find available persistent volumes to bind|not have enough free storage/,
    remedy: "Create a volume that fits, or use a storage class that makes one.",
    explain: ({ pod }) => `no volume there fits the claim${inBrackets(claimedBy(pod.spec))}`,
    key: () => keys.volume,
    isTerminal: always,
  },
  {
    cause: "node-selector-mismatch",
    pattern: /volume node affinity conflict/,
    remedy: "Use a node in the zone of the volume, or another volume.",
    explain: ({ pod }) => `the volume of the claim is bound to other nodes${inBrackets(claimedBy(pod.spec))}`,
    key: template,
    isTerminal: always,
  },
  {
    cause: "resource-claim-missing",
    pattern: /resourceclaim|resource claim|cannot allocate all claims/i,
    remedy: "Create the ResourceClaim, or correct resourceClaims in the pod template.",
    explain: ({ pod }, { text }) => `a ResourceClaim is not there (${text})${inBrackets(claimNames(pod.spec))}`,
    key: template,
    isTerminal: always,
  },
];

function resourceReason(cause: CauseName, pattern: RegExp, keyOf: (role: PodView["role"]) => string): SchedulingReason {
  const resourceIn = (text: string) => text.replace(/^Insufficient /, "");
  return {
    cause,
    pattern,
    remedy: "Request less, free resources that others use, or add larger nodes.",
    explain: (schedulerMessage, { text, count }) => shortage(schedulerMessage, resourceIn(text), count),
    key: ({ pod, view }, { text }) => extendedKey(view, keyOf(pod.role), resourceIn(text)),
    isTerminal: ({ pod, view, preemption }, { text }) => {
      const resource = resourceIn(text);
      const fits = fitsEmptyNode(view, pod.spec, resource);
      return fits === undefined ? !/No preemption victims found/.test(preemption) : !fits;
    },
  };
}

function extendedKey({ properties }: View, key: string, resource: string): string {
  if (!key.endsWith(".")) return key;
  const name = resource.split("/").at(-1) ?? resource;
  const amountKey = `${key}${name}.amount`;
  return amountKey in properties || name === "gpu" ? amountKey : keys.template;
}

function shortage({ pod, view }: SchedulerMessage, resource: string, count: number): string {
  const request = requestOf(pod.spec, resource);
  const offers = offersOf(view, pod.spec, resource);
  const small = offers.filter(({ amount }) => request !== undefined && compareQuantities(amount, request) < 0);
  // Fewer nodes are too small than were excluded: the others would be large enough if they were empty.
  const isHeld = offers.length > 0 && small.length < count;
  const most = isHeld ? offers[0] : small[0];
  const clauses = [
    request && `the ${pod.role} asks for ${printAmount(request, resource)}`,
    most &&
      `the biggest node${count < offers.length ? " of these" : ""}, ${most.node}, has ${printAmount(most.amount, resource)}`,
    isHeld ? "which other pods hold" : undefined,
  ].filter((clause) => clause !== undefined);
  return `not enough ${resource}${inBrackets(clauses)}`;
}

function inBrackets(names: readonly string[]): string {
  return names.length === 0 ? "" : ` (${names.join(", ")})`;
}

/** Finds the taint: in the message of older Kubernetes versions, otherwise on the nodes. */
function taintsOf(view: View, text: string): readonly string[] {
  const reported = [...text.matchAll(/\{([^:}]+): ?([^}]*)\}/g)].map(([, key = "", value = ""]) =>
    value === "" ? key : `${key}=${value}`,
  );
  if (reported.length > 0) return reported;
  return [...new Set(objectsOf(view, "Node").flatMap(({ spec }) => nodeTaints(spec)))];
}

/** Returns the taints of a node that exclude pods, except that of a cordoned node. */
export function nodeTaints(spec: unknown): readonly string[] {
  const taints = isFields(spec) && Array.isArray(spec["taints"]) ? spec["taints"] : [];
  return taints
    .filter(isFields)
    .flatMap(({ key, value, effect }) =>
      effect === "PreferNoSchedule" || key === "node.kubernetes.io/unschedulable"
        ? []
        : [`${key}${value === undefined || value === "" ? "" : `=${value}`}:${effect}`],
    );
}

function cordoned(view: View): readonly string[] {
  return objectsOf(view, "Node").flatMap(({ spec, metadata }) =>
    isFields(spec) && spec["unschedulable"] === true ? [metadata.name ?? ""] : [],
  );
}

function selectionOf({ nodeSelector = {}, affinity }: PodSpec): readonly string[] {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = (required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [], matchFields = [] }) =>
    [...matchExpressions, ...matchFields].map(
      ({ key, operator, values = [] }) => `${key} ${operator}${values.length === 0 ? "" : ` ${values.join(", ")}`}`,
    ),
  );
  return [...Object.entries(nodeSelector).map(([key, value]) => `${key}=${value}`), ...terms];
}

function selectorKey({ pod, view }: SchedulerMessage): string {
  const names = Object.keys(pod.spec.nodeSelector ?? {});
  const own = pod.role === "driver" ? keys.driverNodeSelector : keys.executorNodeSelector;
  const configured = names.flatMap((name) => [`${own}${name}`, `${keys.nodeSelector}${name}`]);
  const used = configured.find((key) => key in view.properties);
  if (used !== undefined) return used;
  const fallback = pod.role === "driver" ? keys.template : keys.executorTemplate;
  return names.length > 0 && pod.spec.affinity?.nodeAffinity === undefined ? `${own}${names[0]}` : fallback;
}

function affinityTerms({ affinity }: PodSpec): readonly string[] {
  const { podAffinity, podAntiAffinity } = affinity ?? {};
  return [podAffinity, podAntiAffinity]
    .flatMap((one) => one?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
    .map(({ labelSelector, topologyKey }) => {
      const labels = Object.entries(labelSelector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
      const terms = (labelSelector?.matchExpressions ?? []).map(({ key, operator, values = [] }) =>
        `${key} ${operator} ${values.join(", ")}`.trim(),
      );
      return `${[...labels, ...terms].join(", ")} by ${topologyKey}`;
    });
}

function spreadKeys({ topologySpreadConstraints = [] }: PodSpec): readonly string[] {
  return topologySpreadConstraints.map(({ topologyKey, maxSkew }) => `${topologyKey}, maxSkew ${maxSkew}`);
}

function hostPorts({ containers }: PodSpec): readonly number[] {
  return containers.flatMap(({ ports = [] }) => ports.flatMap(({ hostPort }) => hostPort ?? []));
}

/** Returns the PersistentVolumeClaims that a pod mounts. */
export function claimedBy({ volumes = [] }: PodSpec): readonly string[] {
  return volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}

/** Returns the ResourceClaims that a pod names. The types do not include all versions of the field. */
export function claimNames(spec: PodSpec): readonly string[] {
  const claims: unknown = "resourceClaims" in spec ? spec.resourceClaims : undefined;
  return (Array.isArray(claims) ? claims : []).filter(isFields).flatMap((claim) => {
    const { source } = claim;
    const name = claim["resourceClaimName"] ?? (isFields(source) ? source["resourceClaimName"] : undefined);
    const template = claim["resourceClaimTemplateName"];
    return [String(name ?? template ?? claim["name"])];
  });
}
