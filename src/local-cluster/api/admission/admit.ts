import type { Draft } from "../object.ts";
import { charge } from "../quota/charge.ts";
import type { ApiScope, Call } from "../verbs/call.ts";
import { checkLimits, giveLimits } from "./limit-ranges.ts";
import { admitNamespace } from "./namespace-lifecycle.ts";
import { admitPod } from "./pod.ts";

/** What is added to a new object beyond the rules of its kind; in the order of a Kubernetes server. */
export function admitCreation(api: ApiScope, call: Call, draft: Draft): void {
  admitNamespace(api, call, draft);
  if (call.kind.collection !== "pods") return;
  giveLimits(api, call, draft);
  admitPod(api, call, draft);
}

/**
 * Asks those who limit what a namespace holds, when an object is ready to be stored.
 *
 * @param old what is there now; `undefined` for a new object
 * @returns books the object, to be called once it is stored
 * @throws StatusError 403
 */
export function admitAmounts(api: ApiScope, call: Call, next: Draft, old: Draft | undefined): () => void {
  if (old === undefined || call.kind.collection === "persistentvolumeclaims") checkLimits(api, call, next);
  const { kind, namespace } = call;
  const isCharged = old === undefined || ["services", "persistentvolumeclaims"].includes(kind.collection);
  return isCharged ? charge(api.store, { kind, namespace, next, old }) : () => {};
}
