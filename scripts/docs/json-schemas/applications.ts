import * as v from "valibot";
import { applicationStates } from "../../../src/masters/kubernetes/applications/application-summary.ts";
import { choice, count, countOrNull, flag, text, textOrNull, timeOrNull } from "./fields.ts";

/** An application, as `ps` prints it. */
export const application = v.strictObject({
  submissionId: text("`namespace:pod`, which other commands accept"),
  namespace: text("Namespace of the driver's pod"),
  podName: text("Name of the driver's pod"),
  appId: textOrNull("Spark's application ID"),
  appName: text("Name of the application, as in the label `spark-app-name`"),
  state: choice(applicationStates, "State of the application"),
  reason: textOrNull("Reason of the state, e.g. `Unschedulable`"),
  exitCode: countOrNull("Exit code of the driver's container"),
  executors: v.strictObject({
    running: count("Executors that run"),
    pending: count("Executors that do not run yet"),
  }),
  owner: textOrNull("Owner of the pod, `Kind/name`, else the user who submitted"),
  createdAt: timeOrNull("Creation of the pod"),
  endedAt: timeOrNull("End of the driver"),
});

/** Output of `ps`. */
export const applications = v.strictObject({ applications: v.array(application) });

/** Output of `connect list`. */
export const connectServers = v.strictObject({ servers: v.array(application) });

/** Output of `events`. */
export const events = v.strictObject({
  events: v.array(
    v.strictObject({
      time: text("Last occurrence (RFC 3339)"),
      type: text("`Normal` or `Warning`"),
      reason: text("Reason, e.g. `FailedScheduling`"),
      object: text("`Kind/name` of the object"),
      count: count("Number of occurrences"),
      message: text("Message"),
    }),
  ),
});

const container = v.strictObject({
  name: text("Name of the container"),
  image: text("Image of the container"),
  state: v.nullable(choice(["running", "terminated", "waiting"], "State of the container")),
  reason: textOrNull("Reason of the state"),
  message: textOrNull("Message about the state"),
  exitCode: countOrNull("Exit code"),
  startedAt: timeOrNull("Start"),
  finishedAt: timeOrNull("End"),
});

/** Output of `status`. */
export const drivers = v.strictObject({
  drivers: v.array(
    v.strictObject({
      submissionId: text("`namespace:pod`"),
      namespace: textOrNull("Namespace of the pod"),
      podName: textOrNull("Name of the pod"),
      appId: textOrNull("Spark's application ID"),
      appName: textOrNull("Name of the application"),
      phase: textOrNull("Phase of the pod, e.g. `Running`"),
      reason: textOrNull("Reason of the pod, else of the driver's container"),
      message: textOrNull("Message of the pod, else of the driver's container"),
      createdAt: timeOrNull("Creation of the pod"),
      startedAt: timeOrNull("Start of the pod"),
      deletedAt: timeOrNull("Time from which the pod is being deleted"),
      node: textOrNull("Node of the pod"),
      exitCode: countOrNull("Exit code of the driver's container"),
      containers: v.array(container),
    }),
  ),
});

const evidence = v.array(
  v.strictObject({
    in: choice(
      ["pod", "event", "executor", "log", "initLog", "sideCarLog", "executorLog", "rejection", "object"],
      "Source of the quote",
    ),
    text: text("Verbatim part of the source"),
  }),
);

const diagnosisFields = {
  cause: text("Name of the cause, see docs/why-did-my-driver-not-start.md; `none` without a problem"),
  terminal: flag("Whether the problem stays until someone changes something"),
  over: v.exactOptional(flag("Present and true if the problem is resolved")),
  message: text("The problem in a sentence"),
  nextStep: text("Recommended action; empty without a problem"),
  key: textOrNull("Key of the setting to change"),
  evidence,
};

/** Output of `diagnose`. */
export const diagnosis = v.strictObject(diagnosisFields);

/** A line of `diagnose --timeline`. */
export const timelineEntry = v.strictObject({
  ms: count("Time after the start of the record, in ms"),
  ...diagnosisFields,
});

/** Output of `doctor`. */
export const findings = v.strictObject({
  passed: flag("Whether no check failed"),
  findings: v.array(
    v.strictObject({
      check: text("Name of the check, see docs/doctor.md"),
      status: choice(["ok", "warning", "failure", "skipped"], "Result of the check"),
      cause: textOrNull("Cause that `firesteel diagnose` would report"),
      reason: text("The result in a sentence"),
      fix: textOrNull("What to do"),
      key: textOrNull("Key of the setting to change"),
    }),
  ),
});
