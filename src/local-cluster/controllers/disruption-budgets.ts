import type { PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from "kubernetes-types/policy/v1.d.ts";
import type { ApiScope } from "../api/call.ts";
import { isObject } from "../api/json.ts";
import { selectorOf } from "../api/selectors/object-selector.ts";
import type { Store, StoredObject } from "../api/store.ts";
import { timestamp } from "../api/timestamp.ts";
import { type Controller, findByKey, keyOf, startReconciler } from "./controller.ts";
import { writeStatus } from "./create-object.ts";
import { share } from "./workloads/deployment.ts";
import { controllerOf, isTerminated, isTerminating, readySince } from "./workloads/pods.ts";

const collection = "poddisruptionbudgets.policy";

type Budget = StoredObject & {
  readonly spec: PodDisruptionBudgetSpec;
  readonly status?: Partial<PodDisruptionBudgetStatus>;
};

/** Updates how many disruptions each budget allows. */
export const startDisruptionBudgets: Controller = (api) =>
  startReconciler(api, {
    observe({ type, collection: changed, object, previous }, add) {
      if (changed === collection && type !== "DELETED") add(keyOf(object));
      if (changed !== "pods") return;
      const pods = previous === undefined ? [object] : [object, previous];
      for (const budget of api.store.list(collection, object.metadata.namespace))
        if (isBudget(budget) && pods.some((pod) => covers(budget, pod))) add(keyOf(budget));
    },
    work(key, add) {
      const budget = findByKey(api.store, collection, key);
      if (budget === undefined || !isBudget(budget)) return;
      const { status, recheckMs } = statusOf(api, budget);
      writeStatus(api, collection, budget, status);
      if (recheckMs !== undefined) add(key, recheckMs);
    },
  });

function isBudget(object: StoredObject): object is Budget {
  return object.kind === "PodDisruptionBudget" && isObject(object["spec"]);
}

function covers({ spec }: Budget, { metadata }: StoredObject): boolean {
  return spec.selector !== undefined && selectorOf(spec.selector)(metadata.labels);
}

/** Time after which an evicted pod that still exists counts as healthy again. */
const deletionTimeoutMs = 120_000;

/** Calculates the status. `recheckMs` is the time until an entry of disruptedPods expires. */
function statusOf(api: ApiScope, budget: Budget): { readonly status: object; readonly recheckMs: number | undefined } {
  const { generation: observedGeneration, namespace } = budget.metadata;
  const pods = api.store.list("pods", namespace).filter((pod) => covers(budget, pod) && !isTerminated(pod));
  const { expected, desired } = demand(api.store, budget, pods);
  const disrupted = disruptedPods(api, budget, pods);
  const healthy = pods.filter(
    (pod) => readySince(pod) !== undefined && !isTerminating(pod) && !disrupted.has(pod.metadata.name),
  ).length;
  const allowed = expected === 0 ? 0 : Math.max(0, healthy - desired);
  const conditions = (budget.status?.conditions ?? []).filter(({ type }) => type !== "DisruptionAllowed");
  const times = [...disrupted.values()].map((since) => Date.parse(since) + deletionTimeoutMs - api.clock.now());
  const status = {
    observedGeneration,
    ...(disrupted.size > 0 && { disruptedPods: Object.fromEntries(disrupted) }),
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    conditions: [...conditions, condition(api, budget, allowed)],
  };
  return { status, recheckMs: times.length === 0 ? undefined : Math.max(0, Math.min(...times)) };
}

/** Returns the pods whose eviction was accepted recently and that do not terminate yet. */
function disruptedPods(
  { clock }: ApiScope,
  { status }: Budget,
  pods: readonly StoredObject[],
): ReadonlyMap<string, string> {
  const entries = Object.entries(status?.disruptedPods ?? {});
  return new Map(
    entries.filter(([name, since]) => {
      const isWaiting = pods.some((pod) => pod.metadata.name === name && !isTerminating(pod));
      return isWaiting && Date.parse(since) + deletionTimeoutMs > clock.now();
    }),
  );
}

/** Returns the expected number of pods, and how many of them must be healthy. */
function demand(store: Store, { spec }: Budget, pods: readonly StoredObject[]) {
  const { minAvailable, maxUnavailable } = spec;
  if (maxUnavailable !== undefined) {
    const expected = sizeOfSets(store, pods);
    return { expected, desired: Math.max(0, expected - share(maxUnavailable, expected, Math.ceil)) };
  }
  if (typeof minAvailable !== "string") return { expected: pods.length, desired: minAvailable ?? 0 };
  const expected = sizeOfSets(store, pods);
  return { expected, desired: share(minAvailable, expected, Math.ceil) };
}

const sets: Readonly<Record<string, string>> = { ReplicaSet: "replicasets.apps", StatefulSet: "statefulsets.apps" };

/** Returns the sum of the desired replicas of the sets that own the pods; pods without a set do not count. */
function sizeOfSets(store: Store, pods: readonly StoredObject[]): number {
  const sizes = new Map<string, number>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    const set = store.get(sets[owner?.kind ?? ""] ?? "", pod.metadata.namespace, owner?.name ?? "");
    const spec = set?.["spec"];
    if (set === undefined || !isObject(spec)) continue;
    sizes.set(set.metadata.uid, typeof spec["replicas"] === "number" ? spec["replicas"] : 1);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

function condition({ clock }: ApiScope, { metadata, status }: Budget, allowed: number): object {
  const isAllowed = allowed > 0 ? "True" : "False";
  const before = status?.conditions?.find(({ type }) => type === "DisruptionAllowed");
  return {
    type: "DisruptionAllowed",
    status: isAllowed,
    observedGeneration: metadata.generation,
    lastTransitionTime: before?.status === isAllowed ? before.lastTransitionTime : timestamp(clock.now()),
    reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
    message: "",
  };
}
