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

const bundledLog = v.strictObject({
  container: text("Name of the container"),
  previous: flag("Whether it is the log before the last restart"),
  file: text("Path in the bundle"),
  omittedBytes: count("Bytes at its beginning that exceeded the limit"),
});

const manifest = {
  version: count("Version of the layout: 1"),
  created: text("Time of the bundle (RFC 3339)"),
  application: v.strictObject({
    id: text("Spark's application ID; empty if the pod has none"),
    name: text("Name of the application, as in the label `spark-app-name`"),
    namespace: text("Namespace of the driver's pod"),
    driver: text("Name of the driver's pod"),
    server: text("URL of the API"),
    phase: text("Phase of the driver's pod, e.g. `Failed`"),
  }),
  pods: v.array(
    v.strictObject({
      name: text("Name of the pod"),
      role: choice(["driver", "executor"], "Role of the pod"),
      deleted: flag("Whether the pod did not exist any more"),
      file: text("Path of its object in the bundle"),
      logs: v.array(bundledLog),
    }),
  ),
  missing: v.array(
    v.strictObject({ what: text("Part that could not be read, e.g. `events`"), reason: text("Error of the API") }),
  ),
};

/** Content of `bundle.json`. */
export const bundle = v.strictObject(manifest);

/** Output of `bundle`. */
export const writtenBundle = v.strictObject({ path: text("Path of the file"), ...manifest });
const stage = v.strictObject({
  id: count("ID of the stage"),
  attempt: count("Attempt, from 0"),
  name: text("Name of the stage"),
  tasks: v.strictObject({
    all: count("Tasks"),
    active: count("Tasks that run"),
    done: count("Tasks that have succeeded"),
    failed: count("Tasks that have failed"),
  }),
  inputBytes: count("Input read so far, in bytes"),
  shuffleReadBytes: count("Shuffle data read so far, in bytes"),
  shuffleWriteBytes: count("Shuffle data written so far, in bytes"),
});

const executor = v.strictObject({
  id: text("ID of the executor, or `driver`"),
  cores: count("Cores"),
  tasks: v.strictObject({
    active: count("Tasks that run"),
    done: count("Tasks that have succeeded"),
    failed: count("Tasks that have failed"),
  }),
  gcMs: count("Time of the garbage collector, in ms"),
  peakHeapBytes: v.exactOptional(count("Largest heap so far, in bytes; absent before the first heartbeat")),
  storage: v.strictObject({
    usedBytes: count("Memory that cached data uses, in bytes"),
    maxBytes: count("Memory for cached data, in bytes"),
  }),
  shuffleReadBytes: count("Shuffle data read so far, in bytes"),
  shuffleWriteBytes: count("Shuffle data written so far, in bytes"),
});

/** Output of `top`. */
export const activity = v.strictObject({
  appId: text("Spark's application ID"),
  appName: text("Name of the application"),
  startedMs: v.exactOptional(count("Start, in ms since 1970; absent if the driver does not report it")),
  runningJobs: count("Jobs that run"),
  stages: v.array(stage),
  executors: v.array(executor),
});

/** A line of output of `apply`. */
export const applied = v.strictObject({
  application: text("Name of the application"),
  action: choice(
    ["created", "unchanged", "changed", "suspended", "completed", "failed"],
    "What `apply` did; with `--watch`, also the state in which the application ended",
  ),
  driver: text("`namespace:pod` of the driver"),
  phase: v.exactOptional(text("Phase of the pod of an unchanged application, e.g. `Running`")),
});
