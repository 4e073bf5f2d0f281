import type { Evidence } from "./diagnosis.ts";
import { eventEvidence, podEvidence } from "./evidence.ts";
import { conditionOf, lastEvent, type PodView } from "./pod-view.ts";

import type { View } from "./view.ts";

/** Returns the scheduler's latest message about an unscheduled pod, with its source. */
export function schedulerText(
  pod: PodView,
): { readonly text: string; readonly evidence: readonly Evidence[] } | undefined {
  const condition = conditionOf(pod, "PodScheduled");
  const event = lastEvent(pod, "FailedScheduling");
  const reported =
    condition?.status === "False" && condition.reason === "Unschedulable" ? condition.message : undefined;
  const text = reported ?? event?.message;
  if (text === undefined) return undefined;
  return {
    text,
    evidence: [
      ...(reported === undefined ? [] : [podEvidence(pod.role, reported)]),
      ...(event === undefined ? [] : [eventEvidence(event)]),
    ],
  };
}

/**
 * Parses `0/5 nodes are available: 2 Insufficient cpu, 3 node(s) had untolerated taint(s). preemption: …`, and the shorter
 * messages of other schedulers, which have reasons without a count.
 */
export function parseSchedulerMessage(text: string, pod: PodView, view: View): SchedulerMessage {
  const [head = "", ...rest] = text.split(/\.? ?preemption: /);
  const total = Number(/^\s*0\/(\d+) nodes/.exec(head)?.[1] ?? "0");
  const reasons = head
    .replace(/^.*?nodes are (?:available|unavailable): /, "")
    .replace(/\. no new claims to deallocate,?\s*$/, "")
    .replace(/\.\s*$/, "");
  const exclusions = reasons.split(/, (?=\d+ )/).map((part): Exclusion => {
    const [, count, reasonText = part] = /^(\d+) (?:node\(s\) )?([\s\S]*)$/.exec(part) ?? [];
    return { count: Number(count ?? total), text: reasonText.replace(/\.$/, "").trim() };
  });
  return { pod, view, total, exclusions, preemption: rest.join(" ") };
}

/** Reason of a scheduler: `2 Insufficient cpu`. */
export interface Exclusion {
  /** Number of nodes that it excludes. */
  readonly count: number;
  /** `Insufficient cpu`. */
  readonly text: string;
}

/** Scheduler message about a pod: `0/5 nodes are available: …`. */
export interface SchedulerMessage {
  readonly pod: PodView;
  readonly view: View;
  readonly total: number;
  readonly exclusions: readonly Exclusion[];
  /** Part about the preemption of other pods. */
  readonly preemption: string;
}
