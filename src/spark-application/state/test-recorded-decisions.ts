import type { ApplicationState, ExecutorState, LifetimeFields } from "./status.ts";

/** Circumstances of a call; times are in seconds before it. */
export interface RecordedCall {
  readonly state: ApplicationState;
  /** Submissions, and those that succeeded. */
  readonly attempts: readonly [number, number];
  readonly submittedAgo?: number;
  readonly endedAgo?: number;
  readonly message?: string;
  readonly fields?: LifetimeFields;
  readonly driver?: { readonly phase: string; readonly exitCode?: number; readonly reason?: string };
  readonly executors?: Readonly<Record<string, ExecutorState>>;
  /** Reason why a submission fails. */
  readonly error?: string;
}

/** Decisions of the controller of Kubeflow Spark operator 2.5.2: circumstances, then the result of each call. */
export const recordedDecisions: readonly (readonly [string, RecordedCall, readonly string[]])[] = [
  [
    "new is submitted",
    { state: "", attempts: [0, 0] },
    ["SUBMITTED 1/1, no driver, submitted, SparkApplicationSubmitted"],
  ],
  [
    "new, suspended",
    { state: "", attempts: [0, 0], fields: { suspend: true } },
    [
      "SUSPENDING 0/0, no driver",
      "SUSPENDED 0/0, no driver, SparkApplicationSuspending",
      "SUSPENDED 0/0, no driver, SparkApplicationSuspended",
    ],
  ],
  [
    "submitted, driver Pending",
    { state: "SUBMITTED", attempts: [1, 1], submittedAgo: 30, driver: { phase: "Pending" } },
    ["SUBMITTED 1/1, driver"],
  ],
  [
    "submitted, driver Succeeded",
    { state: "SUBMITTED", attempts: [1, 1], submittedAgo: 30, driver: { phase: "Succeeded" } },
    ["SUCCEEDING 1/1, driver, SparkDriverCompleted, ended"],
  ],
  [
    "submitted, driver Failed",
    { state: "SUBMITTED", attempts: [1, 1], submittedAgo: 30, driver: { phase: "Failed" } },
    ['FAILING 1/1, driver, SparkDriverFailed, "driver container status missing", ended'],
  ],
  [
    "submitted, driver failed with 1",
    {
      state: "SUBMITTED",
      attempts: [1, 1],
      submittedAgo: 30,
      driver: { phase: "Failed", exitCode: 1, reason: "Error" },
    },
    ['FAILING 1/1, driver, SparkDriverFailed, "driver container failed with ExitCode: 1, Reason: Error", ended'],
  ],
  [
    "submitted, no driver, 5 s after",
    { state: "SUBMITTED", attempts: [1, 1], submittedAgo: 5 },
    ["SUBMITTED 1/1, no driver"],
  ],
  [
    "running, no driver",
    { state: "RUNNING", attempts: [1, 1], submittedAgo: 2 },
    ['FAILING 1/1, no driver, "driver pod not found", ended'],
  ],
  [
    "running, driver running",
    { state: "RUNNING", attempts: [1, 1], submittedAgo: 30, driver: { phase: "Running" } },
    ["RUNNING 1/1, driver"],
  ],
  [
    "running, container ended with 0 beside a sidecar",
    {
      state: "RUNNING",
      attempts: [1, 1],
      submittedAgo: 30,
      driver: { phase: "Running", exitCode: 0, reason: "Completed" },
    },
    ["SUCCEEDING 1/1, driver, SparkDriverCompleted, ended"],
  ],
  [
    "running, container ended with 2 beside a sidecar",
    {
      state: "RUNNING",
      attempts: [1, 1],
      submittedAgo: 30,
      driver: { phase: "Running", exitCode: 2, reason: "Error" },
    },
    ['FAILING 1/1, driver, SparkDriverFailed, "driver container failed with ExitCode: 2, Reason: Error", ended'],
  ],
  [
    "running, pod failed, out of memory",
    {
      state: "RUNNING",
      attempts: [1, 1],
      submittedAgo: 30,
      driver: { phase: "Failed", exitCode: 137, reason: "OOMKilled" },
    },
    ['FAILING 1/1, driver, SparkDriverFailed, "driver container failed with ExitCode: 137, Reason: OOMKilled", ended'],
  ],
  [
    "running, pod failed without a container status",
    { state: "RUNNING", attempts: [1, 1], submittedAgo: 30, driver: { phase: "Failed" } },
    ['FAILING 1/1, driver, SparkDriverFailed, "driver container status missing", ended'],
  ],
  [
    "running, executors gone",
    {
      state: "RUNNING",
      attempts: [1, 1],
      submittedAgo: 30,
      driver: { phase: "Running" },
      executors: { "e-1": "RUNNING", "e-2": "COMPLETED", "e-3": "FAILED", "e-4": "PENDING" },
    },
    ["RUNNING 1/1, driver, e-1=UNKNOWN e-2=COMPLETED e-3=FAILED e-4=UNKNOWN"],
  ],
  [
    "running to failing, executors gone",
    {
      state: "RUNNING",
      attempts: [1, 1],
      submittedAgo: 30,
      driver: { phase: "Failed", exitCode: 1, reason: "Error" },
      executors: { "e-1": "RUNNING" },
    },
    [
      'FAILING 1/1, driver, SparkDriverFailed, "driver container failed with ExitCode: 1, Reason: Error", ended, e-1=FAILED',
    ],
  ],
  [
    "failed, executors gone",
    {
      state: "FAILED",
      attempts: [1, 1],
      submittedAgo: 30,
      endedAgo: 5,
      driver: { phase: "Failed" },
      executors: { "e-1": "RUNNING", "e-2": "UNKNOWN" },
    },
    ["FAILED 1/1, driver, ended, e-1=FAILED e-2=FAILED"],
  ],
  [
    "unknown, driver running",
    { state: "UNKNOWN", attempts: [1, 1], submittedAgo: 30, driver: { phase: "Running" } },
    ["RUNNING 1/1, driver, SparkDriverRunning"],
  ],
  [
    "succeeding, Never",
    {
      state: "SUCCEEDING",
      attempts: [1, 1],
      submittedAgo: 30,
      fields: { restartPolicy: { type: "Never" } },
      driver: { phase: "Succeeded" },
    },
    ["COMPLETED 1/1, driver", "COMPLETED 1/1, driver", "COMPLETED 1/1, driver"],
  ],
  [
    "succeeding, OnFailure",
    {
      state: "SUCCEEDING",
      attempts: [1, 1],
      submittedAgo: 30,
      fields: { restartPolicy: { type: "OnFailure", onFailureRetries: 3, onSubmissionFailureRetries: 3 } },
      driver: { phase: "Succeeded" },
    },
    ["COMPLETED 1/1, driver", "COMPLETED 1/1, driver", "COMPLETED 1/1, driver"],
  ],
  [
    "failing, Never",
    {
      state: "FAILING",
      attempts: [1, 1],
      submittedAgo: 30,
      message: "driver container failed",
      fields: { restartPolicy: { type: "Never" } },
      driver: { phase: "Failed" },
    },
    ['FAILED 1/1, driver, "driver container failed"', 'FAILED 1/1, driver, "driver container failed"'],
  ],
  [
    "failing, OnFailure without retries",
    {
      state: "FAILING",
      attempts: [1, 1],
      submittedAgo: 30,
      message: "x",
      fields: { restartPolicy: { type: "OnFailure" } },
      driver: { phase: "Failed" },
    },
    ['FAILED 1/1, driver, "x"'],
  ],
  [
    "failing, OnFailure with 3 retries, attempt 1",
    {
      state: "FAILING",
      attempts: [1, 1],
      submittedAgo: 1000,
      message: "x",
      fields: { restartPolicy: { type: "OnFailure", onFailureRetries: 3 } },
      driver: { phase: "Failed" },
    },
    ["PENDING_RERUN 1/1, no driver"],
  ],
  [
    "failing, OnFailure with 3 retries, attempt 2",
    {
      state: "FAILING",
      attempts: [2, 2],
      submittedAgo: 1000,
      message: "x",
      fields: { restartPolicy: { type: "OnFailure", onFailureRetries: 3 } },
      driver: { phase: "Failed" },
    },
    ["PENDING_RERUN 2/2, no driver"],
  ],
  [
    "failing, OnFailure with 3 retries, attempt 4",
    {
      state: "FAILING",
      attempts: [4, 4],
      submittedAgo: 1000,
      message: "x",
      fields: { restartPolicy: { type: "OnFailure", onFailureRetries: 3 } },
      driver: { phase: "Failed" },
    },
    ['FAILED 4/4, driver, "x"'],
  ],
  [
    "failing, interval 5, submission attempt 1, 2 s after",
    {
      state: "FAILING",
      attempts: [1, 1],
      submittedAgo: 2,
      message: "x",
      fields: { restartPolicy: { type: "OnFailure", onFailureRetries: 5 } },
      driver: { phase: "Failed" },
    },
    ['FAILING 1/1, driver, "x", again in 3 s'],
  ],
  [
    "failing, interval 5, submission attempt 2, 6 s after",
    {
      state: "FAILING",
      attempts: [2, 1],
      submittedAgo: 6,
      message: "x",
      fields: { restartPolicy: { type: "OnFailure", onFailureRetries: 5 } },
      driver: { phase: "Failed" },
    },
    ['FAILING 2/1, driver, "x", again in 4 s'],
  ],
  [
    "failing, interval 5, submission attempt 2, 11 s after",
    {
      state: "FAILING",
      attempts: [2, 1],
      submittedAgo: 11,
      message: "x",
      fields: { restartPolicy: { type: "OnFailure", onFailureRetries: 5 } },
      driver: { phase: "Failed" },
    },
    ["PENDING_RERUN 2/1, no driver"],
  ],
  [
    "failing, interval 5, submission attempt 4, 12 s after",
    {
      state: "FAILING",
      attempts: [4, 1],
      submittedAgo: 12,
      message: "x",
      fields: { restartPolicy: { type: "OnFailure", onFailureRetries: 5 } },
      driver: { phase: "Failed" },
    },
    ['FAILING 4/1, driver, "x", again in 8 s'],
  ],
  [
    "failing, interval 60, 10 s after",
    {
      state: "FAILING",
      attempts: [1, 1],
      submittedAgo: 10,
      message: "x",
      fields: { restartPolicy: { type: "OnFailure", onFailureRetries: 5, onFailureRetryInterval: 60 } },
      driver: { phase: "Failed" },
    },
    ['FAILING 1/1, driver, "x", again in 50 s'],
  ],
  [
    "submission failed, Never",
    {
      state: "SUBMISSION_FAILED",
      attempts: [1, 0],
      submittedAgo: 10,
      message: "x",
      fields: { restartPolicy: { type: "Never" } },
    },
    ['FAILED 1/0, no driver, SparkApplicationFailed, "x", ended'],
  ],
  [
    "submission failed, OnFailure without retries",
    {
      state: "SUBMISSION_FAILED",
      attempts: [1, 0],
      submittedAgo: 10,
      message: "x",
      fields: { restartPolicy: { type: "OnFailure", onFailureRetries: 3 } },
    },
    ['FAILED 1/0, no driver, SparkApplicationFailed, "x", ended'],
  ],
  [
    "submission failed, OnFailure with 2 retries, attempt 2",
    {
      state: "SUBMISSION_FAILED",
      attempts: [2, 0],
      submittedAgo: 100,
      message: "x",
      fields: { restartPolicy: { type: "OnFailure", onSubmissionFailureRetries: 2 } },
    },
    ["SUBMITTED 3/1, no driver, submitted, SparkApplicationSubmitted"],
  ],
  [
    "submission failed, OnFailure with 2 retries, attempt 3",
    {
      state: "SUBMISSION_FAILED",
      attempts: [3, 0],
      submittedAgo: 100,
      message: "x",
      fields: { restartPolicy: { type: "OnFailure", onSubmissionFailureRetries: 2 } },
    },
    ['FAILED 3/0, no driver, SparkApplicationFailed, "x", ended'],
  ],
  [
    "submission failed, due, fails again",
    {
      state: "SUBMISSION_FAILED",
      attempts: [2, 0],
      submittedAgo: 100,
      message: "x",
      fields: { restartPolicy: { type: "OnFailure", onSubmissionFailureRetries: 5 } },
      error: "again",
    },
    [
      'SUBMISSION_FAILED 3/0, no driver, submitted, SparkApplicationSubmissionFailed, SparkApplicationSubmissionFailed, "failed to submit spark application: again"',
    ],
  ],
  [
    "submission failed, due, driver pod still there",
    {
      state: "SUBMISSION_FAILED",
      attempts: [1, 0],
      submittedAgo: 100,
      message: "x",
      fields: { restartPolicy: { type: "OnFailure", onSubmissionFailureRetries: 5 } },
      driver: { phase: "Pending" },
    },
    ['SUBMISSION_FAILED 1/0, no driver, "x"', "SUBMITTED 2/1, no driver, submitted, SparkApplicationSubmitted"],
  ],
  [
    "pending rerun, driver gone",
    {
      state: "PENDING_RERUN",
      attempts: [1, 1],
      submittedAgo: 30,
      fields: { restartPolicy: { type: "OnFailure", onFailureRetries: 3 } },
    },
    ["SUBMITTED 2/2, no driver, submitted, SparkApplicationPendingRerun, SparkApplicationSubmitted"],
  ],
  [
    "pending rerun, driver still there",
    {
      state: "PENDING_RERUN",
      attempts: [1, 1],
      submittedAgo: 30,
      fields: { restartPolicy: { type: "OnFailure", onFailureRetries: 3 } },
      driver: { phase: "Failed" },
    },
    ["PENDING_RERUN 1/1, driver"],
  ],
  [
    "submitted, then suspended",
    { state: "SUBMITTED", attempts: [1, 1], submittedAgo: 30, fields: { suspend: true }, driver: { phase: "Running" } },
    ["SUSPENDING 1/1, driver", "SUSPENDED 1/1, no driver, SparkApplicationSuspending"],
  ],
  [
    "running, then suspended",
    { state: "RUNNING", attempts: [1, 1], submittedAgo: 30, fields: { suspend: true }, driver: { phase: "Running" } },
    ["SUSPENDING 1/1, driver", "SUSPENDED 1/1, no driver, SparkApplicationSuspending"],
  ],
  [
    "pending_rerun, then suspended",
    {
      state: "PENDING_RERUN",
      attempts: [1, 1],
      submittedAgo: 30,
      fields: { suspend: true },
      driver: { phase: "Running" },
    },
    ["SUSPENDING 1/1, driver", "SUSPENDED 1/1, no driver, SparkApplicationSuspending"],
  ],
  [
    "failing, then suspended",
    { state: "FAILING", attempts: [1, 1], submittedAgo: 30, fields: { suspend: true }, driver: { phase: "Running" } },
    ["SUSPENDING 1/1, driver", "SUSPENDED 1/1, no driver, SparkApplicationSuspending"],
  ],
  [
    "completed, then suspended",
    {
      state: "COMPLETED",
      attempts: [1, 1],
      submittedAgo: 30,
      endedAgo: 5,
      fields: { suspend: true },
      driver: { phase: "Running" },
    },
    ["COMPLETED 1/1, driver, ended", "COMPLETED 1/1, driver, ended"],
  ],
  [
    "failed, then suspended",
    {
      state: "FAILED",
      attempts: [1, 1],
      submittedAgo: 30,
      endedAgo: 5,
      fields: { suspend: true },
      driver: { phase: "Running" },
    },
    ["FAILED 1/1, driver, ended", "FAILED 1/1, driver, ended"],
  ],
  [
    "unknown, then suspended",
    { state: "UNKNOWN", attempts: [1, 1], submittedAgo: 30, fields: { suspend: true }, driver: { phase: "Running" } },
    ["SUSPENDING 1/1, driver", "SUSPENDED 1/1, no driver, SparkApplicationSuspending"],
  ],
  [
    "suspended, suspend lifted",
    { state: "SUSPENDED", attempts: [1, 1], submittedAgo: 30, fields: { suspend: false } },
    [
      "RESUMING 1/1, no driver, SparkApplicationSuspended",
      "SUBMITTED 2/2, no driver, submitted, SparkApplicationResuming, SparkApplicationSubmitted",
    ],
  ],
  [
    "resuming",
    { state: "RESUMING", attempts: [1, 1], submittedAgo: 30 },
    ["SUBMITTED 2/2, no driver, submitted, SparkApplicationResuming, SparkApplicationSubmitted"],
  ],
  [
    "completed, no time to live",
    { state: "COMPLETED", attempts: [1, 1], submittedAgo: 30, endedAgo: 100000, driver: { phase: "Succeeded" } },
    ["COMPLETED 1/1, driver, ended"],
  ],
  [
    "completed, time to live over",
    {
      state: "COMPLETED",
      attempts: [1, 1],
      submittedAgo: 30,
      endedAgo: 101,
      fields: { timeToLiveSeconds: 100 },
      driver: { phase: "Succeeded" },
    },
    ["deleted"],
  ],
  [
    "failed, time to live over",
    {
      state: "FAILED",
      attempts: [1, 1],
      submittedAgo: 30,
      endedAgo: 101,
      fields: { timeToLiveSeconds: 100 },
      driver: { phase: "Failed" },
    },
    ["deleted"],
  ],
  [
    "running, time to live over has no effect",
    {
      state: "RUNNING",
      attempts: [1, 1],
      submittedAgo: 1000,
      fields: { timeToLiveSeconds: 1 },
      driver: { phase: "Running" },
    },
    ["RUNNING 1/1, driver"],
  ],
];
