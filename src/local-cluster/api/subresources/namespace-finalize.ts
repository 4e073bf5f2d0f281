import type { Action, ActionResult, ApiScope, Call } from "../call.ts";
import { isArray, isObject } from "../json.ts";
import { runSteps, type Steps } from "../steps.ts";
import { updateSteps } from "../verbs/update.ts";

/** Sets the finalizers of a namespace: PUT of `namespaces/finalize`. Deletes a terminating namespace without finalizers. */
export const finalizeNamespace: Action = (api, call) => runSteps(finalizeSteps(api, call));

function* finalizeSteps(api: ApiScope, call: Call): Steps<ActionResult> {
  const written = yield* updateSteps(api, call);
  const stored = api.store.get("namespaces", undefined, call.name);
  if (stored === undefined) return written;
  const { deletionTimestamp, finalizers: others = [] } = stored.metadata;
  const finalizers = isObject(stored["spec"]) ? stored["spec"]["finalizers"] : undefined;
  const isFinal = !isArray(finalizers) || finalizers.length === 0;
  if (deletionTimestamp !== undefined && isFinal && others.length === 0) {
    api.store.remove("namespaces", undefined, call.name);
  }
  return written;
}
