import type {
  ApplicationEnd,
  ApplicationRecord,
  GatewayApplication,
  GatewayState,
  ObservedDriver,
  ObservedExecutor,
} from "../model/application.ts";
import type { PodMessage } from "../schedulers/read-message.ts";

/** Progress of the current attempt, as far as this process knows. */
export type Phase = "waiting" | "submitting" | "submitted";

/** Mutable state of an application in this process. */
export interface Entry {
  record: ApplicationRecord;
  phase: Phase;
  driver: ObservedDriver | undefined;
  /** Latest message of the scheduler of the queue. */
  schedulerMessage: PodMessage | undefined;
  /** Whether this or an earlier process can have requested the driver of this attempt. */
  canHaveDriver: boolean;
  /** UIDs of the drivers that its own submission has deleted. Their events change nothing. */
  readonly rolledBack: Set<string>;
  /** Whether the driver's container runs. */
  isRunning: boolean;
  /** Whether the cluster is ending the driver, for example to drain its node. */
  isDisrupted: boolean;
  /** Whether the driver's pod exists, as far as the watch shows. */
  hasPod: boolean;
  readonly executors: Map<string, ObservedExecutor>;
  submissionLog: readonly string[];
  /** End that is known, but not stored yet. */
  end: ApplicationEnd | undefined;
  /** Resolves when the end has its final message and log; `undefined` before the end. */
  explanation: Promise<void> | undefined;
  isExplained: boolean;
  /** Whether this process keeps the log of its driver, or has tried to. */
  isLogTried: boolean;
  /** When the attempt left its queue, and when its submission ended, in this process; in ms since 1970. */
  takenMs: number | undefined;
  submittedMs: number | undefined;
  /** Whether a process has recorded the spans of its submission. */
  isSubmissionTraced: boolean;
}

/** Creates the entry of a record that this or another process has stored. */
export function newEntry(record: ApplicationRecord): Entry {
  return {
    ...{
      record,
      canHaveDriver: true,
      phase: "waiting",
      driver: undefined,
      schedulerMessage: undefined,
      rolledBack: new Set(),
      isRunning: false,
      isDisrupted: false,
      hasPod: false,
      executors: new Map(),
    },
    ...{ submissionLog: record.end?.submissionLog ?? [], end: record.end },
    ...{ explanation: undefined, isExplained: record.end !== undefined, isLogTried: false },
    ...{ takenMs: undefined, submittedMs: undefined },
    isSubmissionTraced: record.appId !== undefined || record.end !== undefined,
  };
}

/** Returns the state of an application. */
export function stateOf({ end, driver, isRunning, phase }: Entry): GatewayState {
  if (end !== undefined) return end.state;
  if (isRunning) return "running";
  if (driver !== undefined) return "pending";
  return phase === "waiting" ? "queued" : "submitting";
}

/** Returns an application as protocols see it. */
export function toApplication(entry: Entry): GatewayApplication {
  const { record, end, isExplained, driver, schedulerMessage, executors, submissionLog } = entry;
  const state = stateOf(entry);
  const isUnscheduled = state === "pending" && driver?.scheduledMs === undefined;
  return {
    record: end === undefined ? record : { ...record, end },
    ...{ state, driver, executors: [...executors.values()], submissionLog, isExplained },
    ...(isUnscheduled && schedulerMessage?.text !== undefined && { schedulerMessage: schedulerMessage.text }),
  };
}
