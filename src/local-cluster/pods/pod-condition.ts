import type { Store } from "../api/store.ts";
import { timestamp } from "../api/timestamp.ts";
import { isPod, type StoredPod } from "./stored-object.ts";

/** Sets a condition of a pod, and returns the new status. @param now ms since 1970 */
export function withCondition(
  { status = {} }: StoredPod,
  condition: { readonly type: string; readonly status: string },
  now: number,
) {
  const others = status.conditions?.filter(({ type }) => type !== condition.type) ?? [];
  const times = { lastProbeTime: null, lastTransitionTime: timestamp(now) };
  return { ...status, conditions: [...others, { ...condition, ...times }] };
}

/** Sets the DisruptionTarget condition of a pod that the cluster stops. @param cause `now` in ms since 1970 */
export function disruptPod(
  store: Store,
  { metadata }: StoredPod,
  { phase, now, ...cause }: { reason: string; message: string; now: number; phase?: "Failed" },
): void {
  const condition = { type: "DisruptionTarget", status: "True", ...cause };
  store.update("pods", metadata.namespace, metadata.name, (current) => {
    if (!isPod(current) || current.metadata.uid !== metadata.uid) return current;
    const status = withCondition(current, condition, now);
    return { ...current, status: phase === undefined ? status : { ...status, phase } };
  });
}
