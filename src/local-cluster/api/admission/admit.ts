import type { ApiScope, Call } from "../call.ts";
import { type Draft, nameOf } from "../object.ts";
import { charge } from "../quota/charge.ts";
import { applyLimitDefaults, checkLimits } from "./limit-ranges.ts";
import { admitNamespace } from "./namespace-lifecycle.ts";
import { admitPod } from "./pod.ts";

/** Completes and checks a new object beyond the rules of its kind, in the order of Kubernetes' admission plugins. */
export function admitCreation(api: ApiScope, call: Call, draft: Draft): void {
  admitNamespace(api, call, nameOf(draft));
  if (call.kind.collection !== "pods") return;
  applyLimitDefaults(api, call, draft);
  admitPod(api, call, draft);
}

/**
 * Checks limit ranges and quotas before an object is stored.
 *
 * @param old the stored object; `undefined` for a new object
 * @returns a function that updates the quotas, to be called after the object is stored
 * @throws StatusError 403
 */
export function admitAmounts(api: ApiScope, call: Call, next: Draft, old: Draft | undefined): () => void {
  const { kind, namespace, subresource } = call;
  const isResize = subresource === "resize";
  if (subresource !== undefined && !isResize) return () => {};
  const { collection } = kind;
  if (old === undefined || isResize || collection === "persistentvolumeclaims") checkLimits(api, call, next);
  const isCharged = old === undefined || isResize || ["services", "persistentvolumeclaims"].includes(collection);
  return isCharged ? charge(api.store, { kind, namespace, next, old }) : () => {};
}
