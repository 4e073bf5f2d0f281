import { ownMember } from "../../values/own-member.ts";
import type { ApplicationEvent, ApplicationStatus, ExecutorState } from "./status.ts";

const stateOfPhase: Readonly<Record<string, ExecutorState>> = {
  Pending: "PENDING",
  Running: "RUNNING",
  Succeeded: "COMPLETED",
  Failed: "FAILED",
};

const eventTypes: Readonly<Record<ExecutorState, ApplicationEvent>> = {
  PENDING: { type: "Normal", reason: "SparkExecutorPending" },
  RUNNING: { type: "Normal", reason: "SparkExecutorRunning" },
  COMPLETED: { type: "Normal", reason: "SparkExecutorCompleted" },
  FAILED: { type: "Warning", reason: "SparkExecutorFailed" },
  UNKNOWN: { type: "Warning", reason: "SparkExecutorUnknown" },
};

/** Executors with larger IDs are not tracked. */
const maxTrackedId = 1000;

/** Returns the states of the executors, and events about those whose state has changed. */
export function executorStates(
  { state, executors: known }: ApplicationStatus,
  phases: Readonly<Record<string, string>> = {},
): { readonly executors: ApplicationStatus["executors"]; readonly events: readonly ApplicationEvent[] } {
  const present = Object.entries(phases)
    .filter(([name]) => Number(/-(\d+)$/.exec(name)?.[1] ?? 0) <= maxTrackedId)
    .map(([name, phase]) => [name, ownMember(stateOfPhase, phase) ?? "UNKNOWN"] as const);
  const gone = Object.entries(known)
    .filter(([name]) => phases[name] === undefined)
    .map(([name, last]) => [name, isFinal(last) ? last : stateOfGone(state)] as const);
  const changed = present.filter(([name, current]) => known[name] !== current);
  return {
    executors: Object.fromEntries([...gone, ...present]),
    events: changed.map(([, current]) => eventTypes[current]),
  };
}

function isFinal(state: ExecutorState): boolean {
  return state === "COMPLETED" || state === "FAILED";
}

function stateOfGone(state: ApplicationStatus["state"]): ExecutorState {
  if (state === "RUNNING") return "UNKNOWN";
  return state === "COMPLETED" ? "COMPLETED" : "FAILED";
}
