import type { Clock } from "../../../host/host.ts";
import type { Store } from "../../api/store.ts";
import { timestamp } from "../../api/timestamp.ts";
import { isPod, type StoredPod } from "../../pods/stored-pod.ts";

/** Sets the DisruptionTarget condition of a pod that the control plane stops. */
export function disruptPod(
  { store, clock }: { readonly store: Store; readonly clock: Pick<Clock, "now"> },
  { metadata }: StoredPod,
  { phase, ...cause }: { readonly reason: string; readonly message: string; readonly phase?: "Failed" },
): void {
  const condition = {
    ...{ type: "DisruptionTarget", status: "True", ...cause },
    ...{ lastProbeTime: null, lastTransitionTime: timestamp(clock.now()) },
  };
  store.update("pods", metadata.namespace, metadata.name, (current) => {
    if (!isPod(current) || current.metadata.uid !== metadata.uid) return current;
    const others = (current.status?.conditions ?? []).filter(({ type }) => type !== condition.type);
    const status = { ...current.status, conditions: [...others, condition] };
    return { ...current, status: phase === undefined ? status : { ...status, phase } };
  });
}
