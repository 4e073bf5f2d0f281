import type { Namespace, NamespaceCondition } from "kubernetes-types/core/v1.d.ts";
import type { StoredObject } from "../api/store.ts";

/** Content that is left in a terminating namespace. */
export interface RemainingContent {
  /** Number of objects by resource and group, e.g. `pods.` and `jobs.batch`. */
  readonly resources: ReadonlyMap<string, number>;
  /** Number of objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Resources whose objects remain although nothing holds them, e.g. `/v1, Resource=pods`. */
  readonly stuck: readonly string[];
}

type Condition = Pick<NamespaceCondition, "type" | "status" | "reason" | "message">;

const successes: readonly Condition[] = [
  ["NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"],
  ["NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions", "All legacy kube types successfully parsed"],
  [
    "NamespaceDeletionContentFailure",
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ],
  ["NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"],
  ["NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished"],
].map(([type = "", reason = "", message = ""]) => ({ type, status: "False", reason, message }));

/** Returns the conditions of a terminating namespace. Source: Kubernetes 1.35, pkg/controller/namespace/deletion. */
export function namespaceConditions(
  namespace: StoredObject,
  remaining: RemainingContent,
  now: string,
): readonly NamespaceCondition[] {
  const failures = failuresOf(namespace.metadata.name, remaining);
  const before = isNamespace(namespace) ? (namespace.status?.conditions ?? []) : [];
  const others = before.filter(({ type }) => successes.every((one) => one.type !== type));
  const current = successes.map((success) => {
    const condition = failures.find(({ type }) => type === success.type) ?? success;
    const last = before.find(({ type }) => type === success.type);
    const since = last?.status === condition.status ? last.lastTransitionTime : undefined;
    return { ...condition, lastTransitionTime: since ?? now };
  });
  return [...others, ...current];
}

function isNamespace(object: StoredObject): object is StoredObject & Namespace {
  return object.kind === "Namespace";
}

function failuresOf(name: string, { resources, finalizers, stuck }: RemainingContent): readonly Condition[] {
  const failure = (type: string, reason: string, message: string) => ({ type, status: "True", reason, message });
  const instances = [...resources].map(([resource, count]) => `${resource} has ${count} resource instances`);
  const held = [...finalizers].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  const errors = stuck.map((resource) => `unexpected items still remain in namespace: ${name} for gvr: ${resource}`);
  const content = `Some resources are remaining: ${instances.sort().join(", ")}`;
  const remaining = `Some content in the namespace has finalizers remaining: ${held.sort().join(", ")}`;
  const failed = `Failed to delete all resource types, ${errors.length} remaining: ${errors.sort().join(", ")}`;
  return [
    ...(instances.length > 0 ? [failure("NamespaceContentRemaining", "SomeResourcesRemain", content)] : []),
    ...(held.length > 0 ? [failure("NamespaceFinalizersRemaining", "SomeFinalizersRemain", remaining)] : []),
    ...(errors.length > 0 ? [failure("NamespaceDeletionContentFailure", "ContentDeletionFailed", failed)] : []),
  ];
}
