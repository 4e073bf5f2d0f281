import type { Taint } from "kubernetes-types/core/v1.d.ts";
import { isRepelled } from "../kube/taints.ts";
import type { Container, KubeResource, PodSpec } from "../kube/types.ts";
import { isFields } from "../values/fields.ts";
import { addQuantities, compareQuantities, parseQuantity, printQuantity, type Quantity } from "../values/quantity.ts";
import { objectsOf, type View } from "./view.ts";

/**
 * Computes a pod's request for one resource like the scheduler: all containers together with the native sidecars,
 * or the largest init container if that is more.
 */
export function requestOf(spec: PodSpec, resource: string): Quantity | undefined {
  return podAmount(spec, ({ resources: { requests, limits } = {} }) => requests?.[resource] ?? limits?.[resource]);
}

/** Computes a pod's limit for one resource, with the same rule as its request. */
export function limitOf(spec: PodSpec, resource: string): Quantity | undefined {
  return podAmount(spec, ({ resources }) => resources?.limits?.[resource]);
}

function podAmount(spec: PodSpec, textOf: (container: Container) => string | undefined): Quantity | undefined {
  const amount = (container: Container) => parseQuantity(String(textOf(container) ?? ""));
  const inits = spec.initContainers ?? [];
  const nativeSidecars = inits.filter(({ restartPolicy }) => restartPolicy === "Always");
  const sum = [...spec.containers, ...nativeSidecars].map(amount).reduce(add, undefined);
  return inits.map(amount).reduce(larger, sum);
}

function add(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  return a === undefined || b === undefined ? (a ?? b) : addQuantities(a, b);
}

function larger(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareQuantities(a, b) < 0 ? b : a;
}

/** Node with its allocatable amount of a resource. */
interface NodeOffer {
  readonly node: string;
  readonly amount: Quantity;
}

/**
 * Lists the nodes' allocatable amounts of a resource, largest first. Counts nodes whose cordons and taints allow
 * the pod, or all nodes if none do.
 */
export function offersOf(view: View, spec: PodSpec, resource: string): readonly NodeOffer[] {
  const nodes = objectsOf(view, "Node");
  const open = nodes.filter((node) => isOpenTo(node, spec));
  return (open.length === 0 ? nodes : open)
    .map((node): NodeOffer => ({ node: node.metadata.name ?? "", amount: offerOf(node, resource) }))
    .sort((a, b) => compareQuantities(b.amount, a.amount));
}

function isOpenTo(node: KubeResource, spec: PodSpec): boolean {
  return !isCordoned(node) && !isRepelled({ spec }, taintsOf(node));
}

/** Whether a node accepts no new pods. */
export function isCordoned({ spec }: KubeResource): boolean {
  return isFields(spec) && spec["unschedulable"] === true;
}

/** Returns the taints of a node. */
export function taintsOf({ spec }: KubeResource): readonly Taint[] {
  return isFields(spec) && Array.isArray(spec["taints"]) ? spec["taints"].filter(isTaint) : [];
}

function isTaint(value: unknown): value is Taint {
  return isFields(value) && typeof value["key"] === "string" && typeof value["effect"] === "string";
}

/** Returns the allocatable amount of a node's resource. */
export function offerOf({ status }: KubeResource, resource: string): Quantity {
  const allocatable = isFields(status) && isFields(status["allocatable"]) ? status["allocatable"] : {};
  return parseQuantity(String(allocatable[resource] ?? "0")) ?? { nano: 0n, format: "decimalSI" };
}

/** Prints an amount for users: bytes in Gi or Mi, everything else as Kubernetes prints it. */
export function printAmount(amount: Quantity, resource: string): string {
  if (!/^(memory|ephemeral-storage|hugepages-.*|storage)$/.test(resource)) return printQuantity(amount);
  const mebibytes = Number(amount.nano / 1_000_000_000n) / 2 ** 20;
  if (mebibytes < 1024 || Number.isInteger(mebibytes)) {
    return mebibytes >= 1024 && mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${Math.round(mebibytes)}Mi`;
  }
  return `${Math.round((mebibytes / 1024) * 10) / 10}Gi`;
}

/** Whether a pod's request fits an empty node; `undefined` if that is not known. */
export function fitsEmptyNode(view: View, spec: PodSpec, resource: string): boolean | undefined {
  const request = requestOf(spec, resource);
  const [most] = offersOf(view, spec, resource);
  if (most === undefined || request === undefined) return undefined;
  return compareQuantities(request, most.amount) <= 0;
}
