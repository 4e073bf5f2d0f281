import { isFinalPhase } from "../../kube/pod-phase.ts";
import { type Amounts, addAmounts, parseAmounts, pickAmounts, printAmounts } from "../api/amounts.ts";
import { isObject, isSame } from "../api/json.ts";
import type { Kind } from "../api/kinds/kind.ts";
import { kinds } from "../api/kinds/table.ts";
import { isInScope } from "../api/quota/scopes.ts";
import { measures, usageOf } from "../api/quota/usage.ts";
import type { Store, StoredObject, StoreEvent } from "../api/store.ts";
import { type Controller, workQueue } from "./controller.ts";

/** Kinds that quotas can count, one version each. */
const counted: ReadonlyMap<string, Kind> = new Map(
  kinds.filter(({ namespaced }) => namespaced).map((kind) => [kind.collection, kind]),
);

/** Recalculates a quota's usage when the quota changes or usage decreases. Admission adds new objects itself. */
export const startQuotas: Controller = (api) => {
  const { store } = api;
  const queue = workQueue(api, (key) => {
    const [namespace, name = ""] = key.split("/");
    const quota = store.get("resourcequotas", namespace, name);
    if (quota === undefined) return;
    const status = statusOf(store, quota);
    store.update("resourcequotas", namespace, name, (current) =>
      isSame(current["status"], status) ? current : { ...current, status },
    );
  });
  const recount = ({ metadata }: StoredObject) => queue.add(`${metadata.namespace}/${metadata.name}`);
  const stopListening = store.follow((event) => {
    const { type, collection, object, previous } = event;
    if (collection === "resourcequotas" && type !== "DELETED" && !isSame(object["spec"], previous?.["spec"])) {
      recount(object);
    }
    const { namespace } = object.metadata;
    if (namespace === undefined || !frees(event)) return;
    for (const quota of store.list("resourcequotas", namespace)) recount(quota);
  });
  return () => {
    stopListening();
    queue.stop();
  };
};

/** Whether a change may decrease usage. */
function frees({ type, collection, object, previous }: StoreEvent): boolean {
  if (type === "DELETED") return counted.has(collection);
  if (type === "ADDED" || previous === undefined) return false;
  if (collection === "pods") return isTerminated(object) && !isTerminated(previous);
  const hasAmounts = collection === "services" || collection === "persistentvolumeclaims";
  return hasAmounts && !isSame(object["spec"], previous["spec"]);
}

function isTerminated({ status }: StoredObject): boolean {
  return isObject(status) && isFinalPhase(status["phase"]);
}

function statusOf(store: Store, { metadata, spec }: StoredObject): object {
  const hard = parseAmounts(isObject(spec) ? spec["hard"] : undefined);
  const names = [...hard.keys()];
  let used: Amounts = new Map(names.map((name) => [name, { nano: 0n, format: "decimalSI" }]));
  for (const kind of counted.values()) {
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
