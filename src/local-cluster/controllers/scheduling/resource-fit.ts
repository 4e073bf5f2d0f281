import { podAmounts } from "../../../kube/amounts.ts";
import { addQuantities, compareQuantities, parseQuantity, type Quantity } from "../../../values/quantity.ts";
import type { StoredNode, StoredPod } from "../../pods/stored-object.ts";
import type { NodeRejection, SchedulingView } from "./scheduling-view.ts";

/** Options of sharing a node's resources. */
export interface Sharing {
  /** Whether the requests of all pods together may exceed the node's processors, memory and storage; one pod's must not. */
  readonly overcommits: boolean;
}

/** Finds resources that a pod requests and the node does not have available. */
export function resourceFailure(
  { placed }: SchedulingView,
  pod: StoredPod,
  { node, overcommits }: { readonly node: StoredNode } & Sharing,
): NodeRejection | undefined {
  const allocatable = node.status?.allocatable ?? {};
  const { pods: others, requested } = placed.on(node.metadata.name);
  const isFull = others.size + 1 > Number(allocatable["pods"] ?? 0);
  const lacks = [...podAmounts(pod.spec, "requests")].flatMap(([name, request]) => {
    const allocatableAmount = parseQuantity(allocatable[name] ?? "0") ?? none;
    const used = overcommits && divisible.includes(name) ? none : (requested.get(name) ?? none);
    if (request.nano === 0n || compareQuantities(addQuantities(request, used), allocatableAmount) <= 0) return [];
    return [{ reason: `Insufficient ${name}`, isResolvable: compareQuantities(request, allocatableAmount) <= 0 }];
  });
  if (!isFull && lacks.length === 0) return undefined;
  return {
    reasons: [...(isFull ? ["Too many pods"] : []), ...lacks.map(({ reason }) => reason)],
    isResolvable: lacks.every(({ isResolvable }) => isResolvable),
  };
}

/** Resources that pods can share. A device belongs to one pod. */
const divisible: readonly string[] = ["cpu", "memory", "ephemeral-storage"];

const none: Quantity = { nano: 0n, format: "decimalSI" };
