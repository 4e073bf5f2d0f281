import { type Amounts, addAmounts, parseAmounts, pickAmounts, printAmounts } from "../../kube/amounts.ts";
import type { ApiScope } from "../api/call.ts";
import { isObject, isSame } from "../api/json.ts";
import type { Kind } from "../api/kinds/kind.ts";
import { isInScope } from "../api/quota/scopes.ts";
import { measures, usageOf } from "../api/quota/usage.ts";
import type { ServedKinds } from "../api/served-kinds.ts";
import type { StoredObject, StoreEvent } from "../api/store.ts";
import { type Controller, findByKey, keyOf, startReconciler } from "./controller.ts";
import { isTerminated } from "./workloads/pods.ts";

/** Returns the kinds that quotas can count, one version each, by collection. */
function counted(kinds: ServedKinds): ReadonlyMap<string, Kind> {
  const namespaced = kinds.all().filter((kind) => kind.namespaced);
  return new Map(namespaced.map((kind) => [kind.collection, kind]));
}

/** Interval after which a quota that nothing changed is recalculated, because clients can write its status. Kubernetes: 5 min. */
const resyncMs = 60_000;

/** Recalculates a quota's usage when the quota changes or usage decreases. Admission adds new objects itself. */
export const startQuotas: Controller = (api) =>
  startReconciler(api, {
    observe(event, add) {
      const { type, collection, object, previous } = event;
      const isQuota = collection === "resourcequotas" && type !== "DELETED";
      if (isQuota && !isSame(object["spec"], previous?.["spec"])) add(keyOf(object));
      const { namespace } = object.metadata;
      if (namespace === undefined || !frees(event, api.kinds)) return;
      for (const quota of api.store.list("resourcequotas", namespace)) add(keyOf(quota));
    },
    work(key, add) {
      const quota = findByKey(api.store, "resourcequotas", key);
      if (quota === undefined) return;
      const status = statusOf(api, quota);
      api.store.update("resourcequotas", quota.metadata.namespace, quota.metadata.name, (current) =>
        isSame(current["status"], status) ? current : { ...current, status },
      );
      add(key, resyncMs);
    },
  });

/** Whether a change may decrease usage. */
function frees({ type, collection, object, previous }: StoreEvent, kinds: ServedKinds): boolean {
  if (type === "DELETED") return kinds.ofCollection(collection)?.namespaced === true;
  if (type === "ADDED" || previous === undefined) return false;
  if (collection === "pods") return isTerminated(object) && !isTerminated(previous);
  const hasAmounts = collection === "services" || collection === "persistentvolumeclaims";
  return hasAmounts && !isSame(object["spec"], previous["spec"]);
}

function statusOf({ store, kinds }: Pick<ApiScope, "store" | "kinds">, { metadata, spec }: StoredObject): object {
  const hard = parseAmounts(isObject(spec) ? spec["hard"] : undefined);
  const names = [...hard.keys()];
  let used: Amounts = new Map(names.map((name) => [name, { nano: 0n, format: "decimalSI" }]));
  for (const kind of counted(kinds).values()) {
    const own = names.filter((name) => measures(kind, name));
    if (own.length === 0) continue;
    for (const object of store.list(kind.collection, metadata.namespace)) {
      if (!isInScope(spec, kind.plural, object)) continue;
      used = addAmounts(
        used,
        pickAmounts(usageOf(kind, object), (name) => own.includes(name)),
      );
    }
  }
  return names.length === 0 ? {} : { hard: printAmounts(hard), used: printAmounts(used) };
}
