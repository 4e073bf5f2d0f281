import { isFinalPhase } from "../../kube/pod-phase.ts";
import type { Pod } from "../../kube/types.ts";
import { parseInstant } from "../../values/instant.ts";
import type { StagingTimes } from "../context/options.ts";
import type { NamespaceView } from "../context/owners.ts";
import type { BundleRecord, OwnerHistory } from "../store/bundle-record.ts";

/** Decision for a bundle: remove it, or keep it with an updated history. */
export type RetentionDecision =
  | { readonly kind: "remove"; readonly reason: RemovalReason }
  | {
      readonly kind: "keep";
      readonly history: OwnerHistory;
      readonly leaseUntilMs: number;
    };

/** Reason of a removal, for logs and metrics. */
type RemovalReason = "neverOwned" | "ownersEnded" | "ownersGone" | "namespaceGone" | "expired";

/** Time of the view in ms since 1970, and the retention times. */
interface EvaluationContext {
  readonly nowMs: number;
  readonly times: StagingTimes;
}

/** Decides whether a bundle is still needed. Keeps it while its owners are unknown. */
export function evaluateBundle(
  record: BundleRecord,
  view: NamespaceView,
  context: EvaluationContext,
): RetentionDecision {
  switch (view.kind) {
    case "unknown":
      return unchanged(record);
    case "unwatched":
      return evaluateByTime(record, context);
    case "gone":
      return evaluateWithoutNamespace(record, context);
    case "pods":
      return evaluateByPods(record, view.pods, context);
  }
}

function evaluateByTime(record: BundleRecord, { nowMs, times }: EvaluationContext): RetentionDecision {
  const { usedAtMs = 0 } = record.history;
  const hasExpired = nowMs >= Math.max(record.leaseUntilMs, usedAtMs === 0 ? 0 : usedAtMs + times.leaseMs);
  return hasExpired ? { kind: "remove", reason: "expired" } : unchanged(record);
}

function evaluateWithoutNamespace(record: BundleRecord, { nowMs, times }: EvaluationContext): RetentionDecision {
  const since = record.history.namespaceGoneSinceMs ?? nowMs;
  if (nowMs - since >= times.absenceMs && record.history.namespaceGoneSinceMs !== undefined) {
    return { kind: "remove", reason: "namespaceGone" };
  }
  return { ...unchanged(record), history: { ...record.history, namespaceGoneSinceMs: since } };
}

function evaluateByPods(record: BundleRecord, pods: readonly Pod[], context: EvaluationContext): RetentionDecision {
  const owners = pods.filter((pod) => isOwner(record, pod));
  if (owners.length === 0) return evaluateWithoutOwners(record, context);
  const { nowMs, times } = context;
  const { usedAtMs, endedAtMs, seenAtMs = nowMs } = record.history;
  const known = { ...(usedAtMs === undefined ? {} : { usedAtMs }), seenAtMs };
  if (!owners.every(hasEnded)) {
    return {
      kind: "keep",
      history: known,
      leaseUntilMs: Math.max(record.leaseUntilMs, nowMs + times.leaseMs),
    };
  }
  const ended = endedAtMs ?? Math.min(nowMs, Math.max(...owners.map((pod) => endOf(pod) ?? nowMs)));
  // After the end was recorded, only a client's renewal changes the lease. Keep it.
  const leaseUntilMs = endedAtMs === undefined ? ended + times.retentionMs : record.leaseUntilMs;
  if (nowMs >= leaseUntilMs) return { kind: "remove", reason: "ownersEnded" };
  return { kind: "keep", history: { ...known, endedAtMs: ended }, leaseUntilMs };
}

function evaluateWithoutOwners(record: BundleRecord, { nowMs, times }: EvaluationContext): RetentionDecision {
  const { namespaceGoneSinceMs: _, ...history } = record.history;
  if (history.seenAtMs === undefined) {
    if (nowMs >= record.leaseUntilMs) return { kind: "remove", reason: "neverOwned" };
    return { kind: "keep", history, leaseUntilMs: record.leaseUntilMs };
  }
  const { absentSinceMs } = history;
  if (absentSinceMs !== undefined && nowMs - absentSinceMs >= times.absenceMs) {
    return { kind: "remove", reason: "ownersGone" };
  }
  return {
    kind: "keep",
    history: { ...history, absentSinceMs: absentSinceMs ?? nowMs },
    leaseUntilMs: record.leaseUntilMs,
  };
}

function unchanged({ history, leaseUntilMs }: BundleRecord) {
  return { kind: "keep", history, leaseUntilMs } as const;
}

function isOwner({ owner }: BundleRecord, { metadata }: Pod): boolean {
  const labels = metadata?.labels ?? {};
  return Object.entries(owner.labels).every(([name, value]) => labels[name] === value);
}

function hasEnded({ status }: Pod): boolean {
  return isFinalPhase(status?.phase);
}

/** Returns when the last container of a pod ended, in ms since 1970. */
function endOf({ status }: Pod): number | undefined {
  const ends = (status?.containerStatuses ?? []).flatMap(
    ({ state }) => parseInstant(state?.terminated?.finishedAt) ?? [],
  );
  return ends.length === 0 ? undefined : Math.max(...ends);
}
