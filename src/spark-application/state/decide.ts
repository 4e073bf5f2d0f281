import { stateOfDriver } from "./driver-state.ts";
import { executorStates } from "./executor-states.ts";
import { delayOfAttempt, repeatsSubmission, restartsAfterFailure } from "./restart-policy.ts";
import {
  type ApplicationEvent,
  type ApplicationStatus,
  type Decision,
  hasEnded,
  type LifetimeFields,
  type Observation,
} from "./status.ts";

/** Delay before the pod of a driver is looked up again. */
const lookUpDelayMs = 1_000;

/**
 * Decides what happens next to an application: one call of the operator's controller.
 *
 * Source: Kubeflow Spark operator 2.5.2, whose decisions were recorded.
 */
export function decide(fields: LifetimeFields, status: ApplicationStatus, observation: Observation): Decision {
  const { state } = status;
  if (fields.suspend === true && !hasEnded(status) && state !== "SUSPENDING" && state !== "SUSPENDED")
    return { status: { ...status, state: "SUSPENDING" }, action: "none", events: [], againAfterMs: 0 };
  switch (state) {
    case "":
      return submission(status, []);
    case "SUBMITTED":
    case "RUNNING":
    case "UNKNOWN":
      return followDriver(status, observation);
    case "SUCCEEDING":
      return fields.restartPolicy?.type === "Always" ? rerun(status) : ended(status, "COMPLETED");
    case "FAILING":
      return decideFailure(fields, status, observation);
    case "SUBMISSION_FAILED":
      return decideSubmissionFailure(fields, status, observation);
    case "PENDING_RERUN":
      return observation.driver === undefined
        ? submission(status, [warning("SparkApplicationPendingRerun")])
        : unchanged(status, lookUpDelayMs);
    case "INVALIDATING":
      return rerun({ ...status, submissionAttempts: 0, executionAttempts: 0 });
    case "SUSPENDING":
      return {
        status: { ...status, state: "SUSPENDED" },
        action: "deleteDriver",
        events: [warning("SparkApplicationSuspending")],
      };
    case "SUSPENDED":
      return decideSuspended(fields, status);
    case "RESUMING":
      return submission(status, [warning("SparkApplicationResuming")]);
    case "COMPLETED":
    case "FAILED":
      return decideEnded(fields, status, observation);
  }
}

/** Returns the status after a submission, and its events. `error` is the reason why it failed. */
export function afterSubmission(
  status: ApplicationStatus,
  { nowMs, error }: { readonly nowMs: number; readonly error?: string | undefined },
): Pick<Decision, "status" | "events"> {
  const attempted = {
    ...status,
    submissionAttempts: status.submissionAttempts + 1,
    lastSubmissionMs: nowMs,
    terminationMs: undefined,
    executors: {},
  };
  if (error === undefined) {
    const executionAttempts = status.executionAttempts + 1;
    return {
      status: { ...attempted, state: "SUBMITTED", errorMessage: undefined, executionAttempts },
      events: [{ type: "Normal", reason: "SparkApplicationSubmitted" }],
    };
  }
  const failed = warning("SparkApplicationSubmissionFailed");
  const first: ApplicationEvent = { type: "Normal", reason: "SparkApplicationAdded" };
  const before = status.state === "" ? [first] : status.state === "SUBMISSION_FAILED" ? [failed] : [];
  return {
    status: {
      ...attempted,
      state: "SUBMISSION_FAILED",
      errorMessage: `failed to submit spark application: ${error}`,
    },
    events: [...before, failed],
  };
}

/** Returns the status after a change of fields that requires a new run. */
export function afterChange(status: ApplicationStatus): ApplicationStatus {
  return { ...status, state: "INVALIDATING" };
}

function warning(reason: string): ApplicationEvent {
  return { type: "Warning", reason };
}

function submission(status: ApplicationStatus, events: readonly ApplicationEvent[]): Decision {
  return { status, action: "submit", events };
}

function unchanged(status: ApplicationStatus, againAfterMs?: number): Decision {
  return { status, action: "none", events: [], againAfterMs };
}

/** Deletes the driver before another run. */
function rerun(status: ApplicationStatus): Decision {
  return {
    status: { ...status, state: "PENDING_RERUN", errorMessage: undefined },
    action: "deleteDriver",
    events: [],
    againAfterMs: 0,
  };
}

function ended(status: ApplicationStatus, state: "COMPLETED" | "FAILED"): Decision {
  return { status: { ...status, state }, action: "none", events: [], againAfterMs: 0 };
}

function followDriver(status: ApplicationStatus, observation: Observation): Decision {
  const { state, errorMessage, event, isMissing } = stateOfDriver(status, observation);
  if (isMissing === true) return unchanged(status, lookUpDelayMs);
  const isEnded = state === "SUCCEEDING" || state === "FAILING";
  const terminationMs = observation.driver?.endedMs ?? observation.nowMs;
  const changed = { ...status, state, errorMessage, ...(isEnded && { terminationMs }) };
  const { executors, events } = executorStates(changed, observation.executors);
  const ofDriver = event === undefined || state === status.state ? [] : [event];
  return {
    status: { ...changed, executors },
    action: "none",
    events: [...ofDriver, ...events],
    ...(isEnded && { againAfterMs: 0 }),
  };
}

function decideFailure({ restartPolicy }: LifetimeFields, status: ApplicationStatus, { nowMs }: Observation): Decision {
  if (!restartsAfterFailure(restartPolicy, status)) return ended(status, "FAILED");
  const intervalSeconds = restartPolicy?.onFailureRetryInterval;
  const delayMs = delayOfAttempt(status, { intervalSeconds, nowMs });
  return delayMs > 0 ? unchanged(status, delayMs) : rerun(status);
}

function decideSubmissionFailure(
  { restartPolicy }: LifetimeFields,
  status: ApplicationStatus,
  { nowMs, driver }: Observation,
): Decision {
  if (!repeatsSubmission(restartPolicy, status)) {
    const failed = { ...status, terminationMs: nowMs };
    return { ...ended(failed, "FAILED"), events: [warning("SparkApplicationFailed")] };
  }
  const intervalSeconds = restartPolicy?.onSubmissionFailureRetryInterval;
  const delayMs = delayOfAttempt(status, { intervalSeconds, nowMs });
  if (delayMs > 0) return unchanged(status, delayMs);
  if (driver === undefined) return submission(status, []);
  return { status, action: "deleteDriver", events: [], againAfterMs: lookUpDelayMs };
}

function decideSuspended({ suspend }: LifetimeFields, status: ApplicationStatus): Decision {
  const events = [warning("SparkApplicationSuspended")];
  if (suspend === true) return { status, action: "none", events };
  return { status: { ...status, state: "RESUMING" }, action: "none", events, againAfterMs: 0 };
}

function decideEnded(fields: LifetimeFields, status: ApplicationStatus, observation: Observation): Decision {
  const { timeToLiveSeconds } = fields;
  const { terminationMs } = status;
  const endMs =
    timeToLiveSeconds === undefined || terminationMs === undefined
      ? undefined
      : terminationMs + timeToLiveSeconds * 1000;
  if (endMs !== undefined && endMs <= observation.nowMs) return { status, action: "deleteApplication", events: [] };
  const { executors, events } = executorStates(status, observation.executors);
  return {
    status: { ...status, executors },
    action: "none",
    events,
    againAfterMs: endMs === undefined ? undefined : endMs - observation.nowMs,
  };
}
