import { describe, expect, test } from "vitest";
import { specWithDefaults } from "../defaults.ts";
import { requiredSpec } from "../test-spec.ts";
import { afterChange, afterSubmission, decide } from "./decide.ts";
import { type ApplicationStatus, type Decision, newStatus, type ObservedDriver } from "./status.ts";
import { type RecordedCall, recordedDecisions } from "./test-recorded-decisions.ts";

const nowMs = 1_800_000_000_000;
const before = (seconds: number | undefined) => (seconds === undefined ? undefined : nowMs - seconds * 1000);

function fieldsOf({ fields }: RecordedCall) {
  return specWithDefaults({ ...requiredSpec, ...fields });
}

function statusOf({ state, attempts, submittedAgo, endedAgo, message, executors }: RecordedCall): ApplicationStatus {
  const [submissionAttempts, executionAttempts] = attempts;
  return {
    ...{ state, submissionAttempts, executionAttempts, errorMessage: message },
    lastSubmissionMs: before(submittedAgo),
    terminationMs: before(endedAgo),
    executors: executors ?? {},
  };
}

function driverOf({ driver }: RecordedCall): ObservedDriver | undefined {
  if (driver === undefined) return undefined;
  const { phase, exitCode, reason = "" } = driver;
  return { phase, ...(exitCode !== undefined && { terminated: { exitCode, reason } }) };
}

/** Makes as many calls as were recorded. */
function run(call: RecordedCall, count: number): readonly string[] {
  let [status, driver] = [statusOf(call), driverOf(call)];
  return Array.from({ length: count }, () => {
    const decision = decide(fieldsOf(call), status, { nowMs, driver });
    const isSubmitted = decision.action === "submit";
    const submitted = isSubmitted ? afterSubmission(decision.status, { nowMs, error: call.error }) : undefined;
    status = submitted?.status ?? decision.status;
    if (decision.action === "deleteDriver") driver = undefined;
    const events = [...decision.events, ...(submitted?.events ?? [])];
    return print({ ...decision, status, events }, driver);
  });
}

function print({ status, action, events, againAfterMs = 0 }: Decision, driver: ObservedDriver | undefined): string {
  if (action === "deleteApplication") return "deleted";
  const { state, submissionAttempts, executionAttempts, errorMessage, terminationMs, executors } = status;
  const isDelayed = (state === "FAILING" || state === "SUBMISSION_FAILED") && action === "none" && againAfterMs > 0;
  return [
    `${state} ${submissionAttempts}/${executionAttempts}`,
    driver === undefined ? "no driver" : "driver",
    ...(action === "submit" ? ["submitted"] : []),
    ...events.map(({ reason }) => reason),
    ...(errorMessage === undefined ? [] : [`"${errorMessage}"`]),
    ...(terminationMs === undefined ? [] : ["ended"]),
    ...(isDelayed ? [`again in ${againAfterMs / 1000} s`] : []),
    ...(Object.keys(executors).length === 0
      ? []
      : [
          Object.entries(executors)
            .map((pair) => pair.join("="))
            .sort()
            .join(" "),
        ]),
  ].join(", ");
}

describe("the state of an application is decided as by the operator", () => {
  test.each(recordedDecisions)("%s", (_name, call, steps) => {
    expect(run(call, steps.length)).toEqual(steps);
  });
});

test("a change of fields starts again without earlier attempts, after the driver is deleted", () => {
  const status = afterChange({ ...newStatus, state: "COMPLETED", submissionAttempts: 3, executionAttempts: 2 });
  const decision = decide({}, status, { nowMs, driver: { phase: "Succeeded" } });
  expect(decision).toMatchObject({
    action: "deleteDriver",
    status: { state: "PENDING_RERUN", submissionAttempts: 0, executionAttempts: 0 },
  });
});

test("executors with IDs above 1000 are not tracked, and changes of the others are events", () => {
  const status: ApplicationStatus = { ...newStatus, state: "RUNNING", executors: { "pi-exec-1": "PENDING" } };
  const executors = { "pi-exec-1": "Running", "pi-exec-2": "Failed", "pi-exec-1001": "Running", "pi-exec-3": "Lost" };
  const decision = decide({}, status, { nowMs, driver: { phase: "Running" }, executors });
  expect(decision.status.executors).toEqual({ "pi-exec-1": "RUNNING", "pi-exec-2": "FAILED", "pi-exec-3": "UNKNOWN" });
  expect(decision.events.map(({ reason }) => reason)).toEqual([
    "SparkExecutorRunning",
    "SparkExecutorFailed",
    "SparkExecutorUnknown",
  ]);
});

test("the time to live of an ended application is the time of the next decision", () => {
  const status: ApplicationStatus = { ...newStatus, state: "COMPLETED", terminationMs: nowMs - 40_000 };
  expect(decide({ timeToLiveSeconds: 60 }, status, { nowMs, driver: undefined }).againAfterMs).toBe(20_000);
});
