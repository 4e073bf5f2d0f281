import type { Action } from "../call.ts";
import { isArray, isObject } from "../json.ts";
import { find } from "../verbs/get.ts";
import { readObject } from "../verbs/read-object.ts";
import { writeOptions } from "../verbs/write-options.ts";

/** Sets the finalizers of a namespace: PUT of `namespaces/finalize`. Deletes a terminating namespace without finalizers. */
export const finalizeNamespace: Action = (api, call) => {
  const options = writeOptions(call.query, "UpdateOptions");
  const draft = readObject(call, options);
  const current = find(api, call);
  const requested = isObject(draft["spec"]) ? draft["spec"]["finalizers"] : undefined;
  const finalizers = isArray(requested) ? requested : [];
  const next = { ...current, spec: finalizers.length === 0 ? {} : { finalizers } };
  if (options.dryRun) return { type: "object", status: 200, object: next };
  const stored = api.store.update("namespaces", undefined, call.name, () => next) ?? next;
  const { deletionTimestamp, finalizers: others = [] } = stored.metadata;
  if (deletionTimestamp !== undefined && finalizers.length === 0 && others.length === 0) {
    api.store.remove("namespaces", undefined, call.name);
  }
  return { type: "object", status: 200, object: stored };
};
