import { admitNamespace } from "../admission/namespace-lifecycle.ts";
import type { Action, ApiScope } from "../call.ts";
import { isArray, isObject } from "../json.ts";
import { disruptPod } from "../pod-condition.ts";
import { selectorOf } from "../selectors/object-selector.ts";
import { badRequest, type StatusError, tooManyBudgets, tooManyRequests } from "../status.ts";
import type { StoredObject } from "../store.ts";
import { remove } from "../verbs/delete.ts";
import { find } from "../verbs/get.ts";
import { readAction } from "../verbs/read-object.ts";
import { type DeleteOptions, optionsOfObject, writeOptions } from "../verbs/write-options.ts";
import { success } from "./pod-binding.ts";

const evictionKind = { group: "policy", version: "v1", kind: "Eviction", plural: "evictions" };
const collection = "poddisruptionbudgets.policy";

/** Deletes a pod unless its disruption budget prevents it: POST of `pods/eviction`. */
export const evictPod: Action = (api, call) => {
  const eviction = readAction(call, evictionKind);
  const metadata = isObject(eviction["metadata"]) ? eviction["metadata"] : {};
  if (metadata["name"] !== call.name) throw badRequest("name in URL does not match name in Eviction object");
  const { dryRun } = writeOptions(call.query, "CreateOptions");
  admitNamespace(api, call, call.name);
  const pod = find(api, call);
  const requested = optionsOfObject(isObject(eviction["deleteOptions"]) ? eviction["deleteOptions"] : {});
  const options = { ...requested, dryRun: dryRun || requested.dryRun };
  const [budget, ...others] = isProtected(pod) ? budgetsOf(api, pod) : [];
  if (others.length > 0) throw tooManyBudgets();
  if (budget !== undefined && !isUnhealthyEvictable(pod, budget)) useDisruption(api, budget, options);
  // Failure policies of jobs recognize an eviction by its condition.
  const cause = { reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" };
  if (!options.dryRun) disruptPod(api.store, pod, { ...cause, now: api.clock.now() });
  remove(api, call, find(api, call), options);
  return success();
};

/** Whether budgets apply to the pod: only while it is running and not terminating. */
function isProtected({ metadata, status }: StoredObject): boolean {
  const phase = isObject(status) ? status["phase"] : undefined;
  return metadata.deletionTimestamp === undefined && phase === "Running";
}

function budgetsOf({ store }: ApiScope, pod: StoredObject): readonly StoredObject[] {
  return store.list(collection, pod.metadata.namespace).filter(({ spec }) => {
    const selector = isObject(spec) ? spec["selector"] : undefined;
    return selector !== undefined && selectorOf(selector)(pod.metadata.labels);
  });
}

/** Whether an unready pod can be evicted regardless of the budget. */
function isUnhealthyEvictable({ status }: StoredObject, budget: StoredObject): boolean {
  const conditions = isObject(status) && isArray(status["conditions"]) ? status["conditions"] : [];
  if (
    conditions.some(
      (condition) => isObject(condition) && condition["type"] === "Ready" && condition["status"] === "True",
    )
  )
    return false;
  const policy = isObject(budget["spec"]) ? budget["spec"]["unhealthyPodEvictionPolicy"] : undefined;
  const { desiredHealthy, currentHealthy } = isObject(budget["status"]) ? budget["status"] : {};
  const isHealthy = Number(currentHealthy) >= Number(desiredHealthy) && Number(desiredHealthy) > 0;
  return policy === "AlwaysAllow" || isHealthy;
}

/** Uses one allowed disruption of a budget. @throws StatusError 429 if none is allowed */
function useDisruption({ store }: ApiScope, { metadata, status }: StoredObject, { dryRun }: DeleteOptions): void {
  const { observedGeneration, disruptionsAllowed, desiredHealthy, currentHealthy } = isObject(status) ? status : {};
  const { name, namespace, generation = 0 } = metadata;
  if (Number(observedGeneration ?? 0) < generation) {
    throw rejection(`The disruption budget ${name} is still being processed by the server.`);
  }
  if (Number(disruptionsAllowed) <= 0) {
    const need = `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
    throw rejection(`The disruption budget ${name} ${need}`);
  }
  if (dryRun) return;
  store.update(collection, namespace, name, (budget) => ({
    ...budget,
    status: { ...(isObject(status) ? status : {}), disruptionsAllowed: Number(disruptionsAllowed) - 1 },
  }));
}

function rejection(message: string): StatusError {
  return tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: "DisruptionBudget", message }],
  });
}
