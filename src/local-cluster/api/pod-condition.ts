import { isArray, isObject, type JsonObject } from "./json.ts";
import type { Store, StoredObject } from "./store.ts";
import { timestamp } from "./timestamp.ts";

/** Sets a condition of a pod, and returns the new status. @param now ms since 1970 */
export function withCondition(
  { status }: { readonly status?: unknown },
  condition: { readonly type: string; readonly status: string },
  now: number,
): JsonObject {
  const current = isObject(status) ? status : {};
  const conditions = isArray(current["conditions"]) ? current["conditions"].filter(isObject) : [];
  const others = conditions.filter(({ type }) => type !== condition.type);
  const times = { lastProbeTime: null, lastTransitionTime: timestamp(now) };
  return { ...current, conditions: [...others, { ...condition, ...times }] };
}

/** Sets the DisruptionTarget condition of a pod that the cluster stops. @param cause `now` in ms since 1970 */
export function disruptPod(
  store: Store,
  { metadata }: Pick<StoredObject, "metadata">,
  { phase, now, ...cause }: { reason: string; message: string; now: number; phase?: "Failed" },
): void {
  const condition = { type: "DisruptionTarget", status: "True", ...cause };
  store.update("pods", metadata.namespace, metadata.name, (current) => {
    if (current.metadata.uid !== metadata.uid) return current;
    const status = withCondition({ status: current["status"] }, condition, now);
    return { ...current, status: phase === undefined ? status : { ...status, phase } };
  });
}
