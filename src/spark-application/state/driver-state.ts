import type { ApplicationEvent, ApplicationStatus, Observation, ObservedDriver } from "./status.ts";

/** Time after a submission in which a driver may still be unknown to the API. */
const graceMs = 10_000;

/** State of an application that its driver determines. */
interface DriverState {
  readonly state: ApplicationStatus["state"];
  readonly errorMessage?: string;
  readonly event?: ApplicationEvent;
  /** Whether the driver may still appear. */
  readonly isMissing?: true;
}

/** Returns the state that a driver results in. Source: Kubeflow Spark operator 2.5.2. */
export function stateOfDriver(status: ApplicationStatus, { driver, nowMs }: Observation): DriverState {
  if (driver !== undefined) return stateOfPod(driver);
  const isRecent = nowMs - (status.lastSubmissionMs ?? 0) < graceMs;
  if (status.state === "SUBMITTED" && isRecent) return { state: "SUBMITTED", isMissing: true };
  return { state: "FAILING", errorMessage: "driver pod not found" };
}

function stateOfPod({ phase, terminated }: ObservedDriver): DriverState {
  switch (phase) {
    case "Pending":
      return { state: "SUBMITTED", event: { type: "Normal", reason: "SparkDriverPending" } };
    case "Running":
      return terminated === undefined
        ? { state: "RUNNING", event: { type: "Normal", reason: "SparkDriverRunning" } }
        : ended(terminated);
    case "Succeeded":
      return completed;
    case "Failed":
      // Otherwise only a sidecar failed.
      return terminated === undefined ? failed("driver container status missing") : ended(terminated);
    default:
      return { state: "UNKNOWN", event: { type: "Warning", reason: "SparkDriverUnknown" } };
  }
}

const completed: DriverState = {
  state: "SUCCEEDING",
  event: { type: "Normal", reason: "SparkDriverCompleted" },
};

function failed(errorMessage: string): DriverState {
  return { state: "FAILING", errorMessage, event: { type: "Warning", reason: "SparkDriverFailed" } };
}

function ended({ exitCode, reason }: NonNullable<ObservedDriver["terminated"]>): DriverState {
  if (exitCode === 0) return completed;
  return failed(`driver container failed with ExitCode: ${exitCode}, Reason: ${reason}`);
}
