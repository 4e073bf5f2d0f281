import { isObject } from "../json.ts";
import { selectorOf } from "../selectors/object-selector.ts";
import { badRequest, tooManyRequests } from "../status.ts";
import type { StoredObject } from "../store.ts";
import type { Action, ApiScope } from "../verbs/call.ts";
import { remove } from "../verbs/delete.ts";
import { find } from "../verbs/get.ts";
import { readAction } from "../verbs/read-object.ts";
import { optionsOfObject } from "../verbs/write-options.ts";
import { success } from "./pod-binding.ts";

const evictionKind = { group: "policy", version: "v1", kind: "Eviction", plural: "evictions" };

/** POST of `pods/eviction`: deletes a pod, if the disruption budgets that hold it allow it. */
export const evictPod: Action = (api, call) => {
  const eviction = readAction(call, evictionKind);
  const metadata = isObject(eviction["metadata"]) ? eviction["metadata"] : {};
  if (metadata["name"] !== call.name) throw badRequest("name in URL does not match name in Eviction object");
  const pod = find(api, call);
  const options = optionsOfObject(isObject(eviction["deleteOptions"]) ? eviction["deleteOptions"] : {});
  for (const budget of budgetsOf(api, pod)) checkBudget(budget);
  remove(api, call, pod, options);
  return success();
};

function budgetsOf({ store }: ApiScope, pod: StoredObject): readonly StoredObject[] {
  return store.list("poddisruptionbudgets.policy", pod.metadata.namespace).filter(({ spec }) => {
    const selector = isObject(spec) ? spec["selector"] : undefined;
    return selector !== undefined && selectorOf(selector)(pod.metadata.labels);
  });
}

/** @throws StatusError 429 */
function checkBudget({ metadata, status }: StoredObject): void {
  const { disruptionsAllowed, desiredHealthy, currentHealthy } = isObject(status) ? status : {};
  if (Number(disruptionsAllowed) > 0) return;
  const message = `The disruption budget ${metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  throw tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: "DisruptionBudget", message }],
  });
}
