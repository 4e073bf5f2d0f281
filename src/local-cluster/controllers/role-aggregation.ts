import type { AggregationRule } from "kubernetes-types/rbac/v1.d.ts";
import { isArray, isObject, isSame } from "../api/json.ts";
import { accessGroup } from "../api/kinds/access-kinds.ts";
import { selectorOf } from "../api/selectors/object-selector.ts";
import type { Store, StoredObject } from "../api/store.ts";
import { type Controller, startReconciler } from "./controller.ts";

const collection = `clusterroles.${accessGroup}`;

type Aggregated = StoredObject & { readonly aggregationRule: AggregationRule };

/** Updates the rules of aggregated roles. */
export const startRoleAggregation: Controller = (api) => {
  /** Uids of the roles whose rules are those of others. A role without parts keeps the rules that its author has written. */
  const composed = new Set<string>();
  return startReconciler(api, {
    observe({ collection: changed, type, object }, add) {
      if (changed !== collection) return;
      if (type === "DELETED") composed.delete(object.metadata.uid);
      if (api.store.list(collection).some(isAggregated)) add("roles");
    },
    work() {
      for (const role of api.store.list(collection)) if (isAggregated(role)) aggregate(api.store, role, composed);
    },
  });
};

function isAggregated(role: StoredObject): role is Aggregated {
  return isObject(role["aggregationRule"]) && isArray(role["aggregationRule"]["clusterRoleSelectors"]);
}

function aggregate(store: Store, role: Aggregated, composed: Set<string>): void {
  const selectors = (role.aggregationRule.clusterRoleSelectors ?? []).map(selectorOf);
  const parts = store
    .list(collection)
    .filter(({ metadata }) => metadata.uid !== role.metadata.uid)
    .filter(({ metadata }) => selectors.some((matches) => matches(metadata.labels)));
  const rules: unknown[] = [];
  for (const rule of parts.flatMap((part) => (isArray(part["rules"]) ? part["rules"] : []))) {
    if (!rules.some((known) => isSame(known, rule))) rules.push(rule);
  }
  if (rules.length > 0) composed.add(role.metadata.uid);
  else if (!composed.has(role.metadata.uid)) return;
  store.update(collection, undefined, role.metadata.name, (current) =>
    isSame(current["rules"] ?? [], rules) ? current : { ...current, rules: rules.length === 0 ? null : rules },
  );
}
