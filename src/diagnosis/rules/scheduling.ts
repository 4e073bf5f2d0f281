import type { CauseName } from "../causes.ts";
import type { Evidence } from "../diagnosis.ts";
import { podEvidence } from "../evidence.ts";
import { conditionOf, lastEvent, type PodView } from "../pod-view.ts";
import type { Finding, Rule } from "../rule.ts";
import type { Exclusion, SchedulerMessage } from "../scheduler-message.ts";
import { parseSchedulerMessage, schedulerText } from "../scheduler-message.ts";
import type { View } from "../view.ts";
import { type SchedulingReason, schedulingReasons } from "./scheduling-reasons.ts";

const seen = "condition `PodScheduled` of the pod and the event `FailedScheduling`";

const gated: Rule = {
  cause: "scheduling-gated",
  seen: "condition `PodScheduled` of the pod with the reason `SchedulingGated`",
  remedy: "Check the queue system that owns the gate.",
  find: ({ driver }) => {
    const condition = driver && conditionOf(driver, "PodScheduled");
    if (driver === undefined || condition?.reason !== "SchedulingGated") return undefined;
    const gates = (driver.spec.schedulingGates ?? []).map(({ name }) => name).join(", ");
    return {
      message: `The scheduling gate ${gates} has not been removed from the driver pod: it waits to be admitted.`,
      evidence: [podEvidence("driver", "SchedulingGated"), podEvidence("driver", condition.message ?? "")],
      isTerminal: false,
    };
  },
};

/** Scheduler message about a pod, with the resulting cause. */
export interface Unschedulable {
  readonly cause: CauseName;
  readonly finding: Finding;
}

/** Finds the reason why a pod has no node. `undefined` while the scheduler reports none. */
export function unschedulable(view: View, pod: PodView): Unschedulable | undefined {
  if (pod.isScheduled || pod.isTerminating) return undefined;
  const reported = schedulerText(pod);
  return reported && unschedulableFor(parseSchedulerMessage(reported.text, pod, view), reported.evidence);
}

/** Finds the reason in an earlier message. */
export function unschedulableFor(
  schedulerMessage: SchedulerMessage,
  evidence: readonly Evidence[],
): Unschedulable | undefined {
  const known = schedulerMessage.exclusions.flatMap((exclusion) => {
    const reason = schedulingReasons.find(({ pattern }) => pattern.test(exclusion.text));
    return reason === undefined ? [] : [{ exclusion, reason }];
  });
  const causes = new Set(known.map(({ reason }) => reason.cause));
  const [first] = known;
  if (first === undefined) return undefined;
  const unknown = schedulerMessage.exclusions.length - known.length;
  return causes.size === 1 && unknown === 0
    ? { cause: first.reason.cause, finding: oneReason(schedulerMessage, first, evidence) }
    : { cause: "unschedulable-mixed", finding: manyReasons(schedulerMessage, known, evidence) };
}

interface Known {
  readonly exclusion: Exclusion;
  readonly reason: SchedulingReason;
}

function oneReason(
  schedulerMessage: SchedulerMessage,
  { reason, exclusion }: Known,
  evidence: readonly Evidence[],
): Finding {
  const { pod, total } = schedulerMessage;
  const nodes =
    total === 1 ? "the only node does not fit" : total === 0 ? "no node fits" : `none of ${total} nodes fits`;
  return {
    message: `The ${pod.role} cannot be scheduled, as ${nodes}: ${reason.explain(schedulerMessage, exclusion)}.`,
    nextStep: reason.remedy,
    key: reason.key(schedulerMessage, exclusion),
    evidence,
    isTerminal: reason.isTerminal(schedulerMessage, exclusion) && !isGrowing(pod),
  };
}

function manyReasons(
  schedulerMessage: SchedulerMessage,
  known: readonly Known[],
  evidence: readonly Evidence[],
): Finding {
  const { pod, total, exclusions } = schedulerMessage;
  const [first] = known;
  const clauses = exclusions.map((exclusion) => {
    const reason = known.find((candidate) => candidate.exclusion === exclusion)?.reason;
    const texts = reason === undefined ? exclusion.text : reason.explain(schedulerMessage, exclusion);
    return `${exclusion.count === 1 ? "1 node" : `${exclusion.count} nodes`}: ${texts}`;
  });
  return {
    message: `The ${pod.role} cannot be scheduled: 0/${total} nodes are available; ${clauses.join("; ")}.`,
    nextStep: [...new Set(known.map(({ reason }) => reason.remedy))].join(" Or: "),
    key: first?.reason.key(schedulerMessage, first.exclusion),
    evidence,
    isTerminal: !isGrowing(pod) && isPermanent(schedulerMessage, known),
  };
}

/** Whether other pods use the requested resources. Older schedulers do not report that. */
function isPermanent(schedulerMessage: SchedulerMessage, known: readonly Known[]): boolean {
  if (schedulerMessage.preemption !== "") return !/No preemption victims found/.test(schedulerMessage.preemption);
  return known.every(({ reason, exclusion }) => reason.isTerminal(schedulerMessage, exclusion));
}

/** Whether the cluster is adding a node for the pod. */
function isGrowing(pod: PodView): boolean {
  return lastEvent(pod, "TriggeredScaleUp", "NotTriggerScaleUp", "Nominated")?.reason === "TriggeredScaleUp";
}

const remedies = new Map(schedulingReasons.map(({ cause, remedy }) => [cause, remedy]));

const byReason = [...remedies].map(
  ([cause, remedy]): Rule => ({
    cause,
    seen,
    remedy,
    find: (view) => {
      const found = view.driver && unschedulable(view, view.driver);
      return found?.cause === cause ? found.finding : undefined;
    },
  }),
);

const mixed: Rule = {
  cause: "unschedulable-mixed",
  seen,
  remedy: "Each reason has its own remedy. Start with the one that excludes the most nodes.",
  find: (view) => {
    const found = view.driver && unschedulable(view, view.driver);
    return found?.cause === "unschedulable-mixed" ? found.finding : undefined;
  },
};

/** Rules for a driver without a node, from the scheduler's message. */
export const schedulingRules: readonly Rule[] = [gated, mixed, ...byReason];
