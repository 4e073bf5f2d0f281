import { allowance, type DeploymentObject } from "./deployment.ts";
import type { ReplicaSetObject } from "./replica-sets.ts";

/** Calculates the sizes of replica sets after a deployment was resized during an update. @param sets the newest last */
export function resized(
  deployment: DeploymentObject,
  sets: readonly ReplicaSetObject[],
): ReadonlyMap<ReplicaSetObject, number> {
  const replicas = deployment.spec.replicas ?? 1;
  const active = sets.filter(({ spec }) => (spec.replicas ?? 0) > 0);
  const [only = sets.at(-1), ...others] = active;
  if (only === undefined) return new Map();
  if (others.length === 0) return new Map([[only, replicas]]);
  const maxPods = replicas === 0 ? 0 : replicas + allowance(deployment).surge;
  const change = maxPods - active.reduce((sum, set) => sum + sizeOf(set), 0);
  const bySize = [...active].reverse().sort((a, b) => sizeOf(b) - sizeOf(a));
  const sizes = new Map<ReplicaSetObject, number>();
  let rest = change;
  for (const set of bySize) {
    const part = partOf(set, { replicas, maxPods });
    const taken = change > 0 ? Math.min(part, rest) : Math.max(part, rest);
    sizes.set(set, sizeOf(set) + taken);
    rest -= taken;
  }
  const [largest] = bySize;
  if (largest !== undefined) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + rest));
  return sizes;
}

function sizeOf({ spec }: ReplicaSetObject): number {
  return spec.replicas ?? 0;
}

/** Calculates how much a set grows to keep its proportion. */
function partOf(set: ReplicaSetObject, { replicas, maxPods }: { replicas: number; maxPods: number }): number {
  if (replicas === 0) return -sizeOf(set);
  const before = Number(set.metadata.annotations?.["deployment.kubernetes.io/max-replicas"] ?? sizeOf(set));
  return Math.round((sizeOf(set) * maxPods) / before) - sizeOf(set);
}
