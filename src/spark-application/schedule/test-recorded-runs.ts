import type { ScheduleSpec } from "../application.ts";
import type { ApplicationState } from "../state/status.ts";

/** Changes before a call: of the states of all runs or of the last one, and of the schedule. */
export interface BeforeCall {
  readonly all?: ApplicationState;
  readonly last?: ApplicationState;
  readonly change?: Partial<ScheduleSpec>;
}

/** Decisions about a schedule every 10 minutes of Kubeflow Spark operator 2.5.2: its fields, then each call with its time and result. */
export const recordedRuns: readonly (readonly [
  string,
  Partial<ScheduleSpec>,
  readonly (readonly [string, BeforeCall, string])[],
])[] = [
  [
    "policy-Allow-failed",
    { concurrencyPolicy: "Allow" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:20:00Z", { last: "FAILED" }, "start, runs 10:10 10:20, next 10:30, failed 10:10, again in 600 s"],
    ],
  ],
  [
    "policy-Forbid-running",
    { concurrencyPolicy: "Forbid" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:20:00Z", { last: "RUNNING" }, "runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:25:00Z", { last: "RUNNING" }, "runs 10:10, next 10:20, again in 300 s"],
      [
        "2026-11-22T10:30:00Z",
        { all: "COMPLETED" },
        "start, runs 10:10 10:30, next 10:40, completed 10:10, again in 600 s",
      ],
    ],
  ],
  [
    "policy-Replace-running",
    { concurrencyPolicy: "Replace" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:20:00Z", { last: "RUNNING" }, "start, runs 10:20, next 10:30, again in 600 s"],
      ["2026-11-22T10:25:00Z", { last: "RUNNING" }, "runs 10:20, next 10:30, again in 300 s"],
      [
        "2026-11-22T10:30:00Z",
        { all: "COMPLETED" },
        "start, runs 10:20 10:30, next 10:40, completed 10:20, again in 600 s",
      ],
    ],
  ],
  [
    "policy-Replace-failed",
    { concurrencyPolicy: "Replace" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:20:00Z", { last: "FAILED" }, "start, runs 10:10 10:20, next 10:30, failed 10:10, again in 600 s"],
    ],
  ],
  [
    "policy-none-failed",
    {},
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:20:00Z", { last: "FAILED" }, "runs 10:10, next 10:20, again in 600 s"],
    ],
  ],
  [
    "forbid-submitted",
    { concurrencyPolicy: "Forbid" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:20:00Z", { last: "SUBMITTED" }, "runs 10:10, next 10:20, again in 600 s"],
    ],
  ],
  [
    "forbid-pending_rerun",
    { concurrencyPolicy: "Forbid" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:20:00Z", { last: "PENDING_RERUN" }, "runs 10:10, next 10:20, again in 600 s"],
    ],
  ],
  [
    "forbid-failing",
    { concurrencyPolicy: "Forbid" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:20:00Z", { last: "FAILING" }, "runs 10:10, next 10:20, again in 600 s"],
    ],
  ],
  [
    "forbid-suspended",
    { concurrencyPolicy: "Forbid" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:20:00Z", { last: "SUSPENDED" }, "runs 10:10, next 10:20, again in 600 s"],
    ],
  ],
  [
    "forbid-unknown",
    { concurrencyPolicy: "Forbid" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:20:00Z", { last: "UNKNOWN" }, "runs 10:10, next 10:20, again in 600 s"],
    ],
  ],
  [
    "replace-completed",
    { concurrencyPolicy: "Replace" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
      [
        "2026-11-22T10:20:00Z",
        { last: "COMPLETED" },
        "start, runs 10:10 10:20, next 10:30, completed 10:10, again in 600 s",
      ],
    ],
  ],
  [
    "replace-two-running",
    { concurrencyPolicy: "Replace" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:20:00Z", { all: "RUNNING" }, "start, runs 10:20, next 10:30, again in 600 s"],
      ["2026-11-22T10:30:00Z", { all: "RUNNING" }, "start, runs 10:30, next 10:40, again in 600 s"],
    ],
  ],
  [
    "early",
    { concurrencyPolicy: "Allow" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:09:00Z", {}, "runs , next 10:10, again in 60 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
    ],
  ],
  [
    "history-default",
    { concurrencyPolicy: "Allow" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", { all: "COMPLETED" }, "start, runs 10:10, next 10:20, again in 600 s"],
      [
        "2026-11-22T10:20:00Z",
        { all: "COMPLETED" },
        "start, runs 10:10 10:20, next 10:30, completed 10:10, again in 600 s",
      ],
      [
        "2026-11-22T10:30:00Z",
        { all: "COMPLETED" },
        "start, runs 10:20 10:30, next 10:40, completed 10:20, again in 600 s",
      ],
      [
        "2026-11-22T10:40:00Z",
        { all: "COMPLETED" },
        "start, runs 10:30 10:40, next 10:50, completed 10:30, again in 600 s",
      ],
    ],
  ],
  [
    "history-zero",
    { concurrencyPolicy: "Allow", successfulRunHistoryLimit: 0, failedRunHistoryLimit: 0 },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", { all: "COMPLETED" }, "start, runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:20:00Z", { all: "COMPLETED" }, "start, runs 10:20, next 10:30, again in 600 s"],
      ["2026-11-22T10:30:00Z", { all: "COMPLETED" }, "start, runs 10:30, next 10:40, again in 600 s"],
    ],
  ],
  [
    "history-failed",
    { concurrencyPolicy: "Allow", failedRunHistoryLimit: 2 },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", { all: "FAILED" }, "start, runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:20:00Z", { all: "FAILED" }, "start, runs 10:10 10:20, next 10:30, failed 10:10, again in 600 s"],
      [
        "2026-11-22T10:30:00Z",
        { all: "FAILED" },
        "start, runs 10:10 10:20 10:30, next 10:40, failed 10:10 10:20, again in 600 s",
      ],
      [
        "2026-11-22T10:40:00Z",
        { all: "FAILED" },
        "start, runs 10:20 10:30 10:40, next 10:50, failed 10:30 10:20, again in 600 s",
      ],
    ],
  ],
  [
    "suspended-later",
    { concurrencyPolicy: "Allow" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:20:00Z", { all: "COMPLETED", change: { suspend: true } }, "runs 10:10, next 10:20"],
      [
        "2026-11-22T10:47:00Z",
        { all: "COMPLETED", change: { suspend: false } },
        "start, runs 10:10 10:47, next 10:50, completed 10:10, again in 180 s",
      ],
      [
        "2026-11-22T10:50:00Z",
        { all: "COMPLETED" },
        "start, runs 10:47 10:50, next 11:00, completed 10:47, again in 600 s",
      ],
    ],
  ],
  [
    "schedule-changed",
    { concurrencyPolicy: "Allow" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
      [
        "2026-11-22T10:12:00Z",
        { all: "COMPLETED", change: { schedule: "0 0 * * *" } },
        "runs 10:10, next 10:20, again in 480 s",
      ],
      [
        "2026-11-22T10:20:00Z",
        { all: "COMPLETED" },
        "start, runs 10:10 10:20, next 2026-11-23T00:00:00Z, completed 10:10, again in 49200 s",
      ],
      [
        "2026-11-22T10:30:00Z",
        { all: "COMPLETED" },
        "runs 10:10 10:20, next 2026-11-23T00:00:00Z, completed 10:10, again in 48600 s",
      ],
    ],
  ],
  [
    "policy-unknown",
    { concurrencyPolicy: "Sometimes" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
    ],
  ],
  [
    "suspend-in-template",
    { concurrencyPolicy: "Forbid" },
    [
      ["2026-11-22T10:07:30Z", {}, "runs , next 10:10, again in 150 s"],
      ["2026-11-22T10:10:00Z", {}, "start, runs 10:10, next 10:20, again in 600 s"],
      ["2026-11-22T10:20:00Z", { last: "SUSPENDED" }, "runs 10:10, next 10:20, again in 600 s"],
    ],
  ],
];
