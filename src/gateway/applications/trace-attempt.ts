import type { ApplicationEnd, ApplicationRecord } from "../model/application.ts";
import type { SpanAttributes } from "../tracing/tracing.ts";
import type { Entry } from "./entry.ts";
import type { ApplicationsScope } from "./scope.ts";

type TraceScope = Pick<ApplicationsScope, "tracing" | "host">;

interface AttemptSpan {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes?: SpanAttributes;
  readonly failure?: string | undefined;
}

/** Records the acceptance of an application that is stored. */
export function traceAcceptance(scope: TraceScope, record: ApplicationRecord, startMs: number): void {
  recordSpan(scope, record, { name: "accept application", startMs, endMs: scope.host.clock.now() });
}

/**
 * Records the wait of an attempt in its queue and its submission, once. Call it when the record says that the attempt is submitted or has
 * ended: a later process then does not record them again.
 */
export function traceSubmission(scope: TraceScope, entry: Entry): void {
  if (entry.isSubmissionTraced) return;
  entry.isSubmissionTraced = true;
  const { record, end, driver, takenMs = driver?.createdMs, submittedMs } = entry;
  const nowMs = scope.host.clock.now();
  const waited = { startMs: queuedMs(record), endMs: takenMs ?? end?.atMs ?? nowMs };
  recordSpan(scope, record, { name: "wait in queue", ...waited });
  if (takenMs === undefined) return;
  const failure = end?.reason === "Rejected" ? end.reason : undefined;
  recordSpan(scope, record, { name: "submit driver", startMs: takenMs, endMs: submittedMs ?? nowMs, failure });
}

/** Records the driver of an attempt whose end is stored. */
export function traceEnd(scope: TraceScope, entry: Entry, end: ApplicationEnd): void {
  traceSubmission(scope, entry);
  const { record, driver } = entry;
  const { state, reason, exitCode, atMs: endMs } = end;
  const failure = state === "failed" ? (reason ?? state) : undefined;
  const attributes = { "firesteel.state": state, "firesteel.reason": reason, "process.exit.code": exitCode };
  const startedMs = driver?.startedMs;
  if (driver !== undefined) {
    // Kubernetes gives times in seconds.
    const startMs = Math.max(driver.createdMs, queuedMs(record));
    const starting = { name: "start driver", startMs, endMs: startedMs ?? endMs };
    recordSpan(scope, record, startedMs === undefined ? { ...starting, attributes, failure } : starting);
  }
  // Of a driver that was deleted while no gateway ran, only the end is known.
  const isUnknown = driver === undefined && record.appId !== undefined;
  if (startedMs !== undefined || isUnknown)
    recordSpan(scope, record, { name: "run driver", startMs: startedMs ?? endMs, endMs, attributes, failure });
}

/** Returns since when an attempt waits in its queue. */
function queuedMs({ acceptedMs, notBeforeMs = 0 }: ApplicationRecord): number {
  return Math.max(acceptedMs, notBeforeMs);
}

function recordSpan(
  { tracing }: TraceScope,
  record: ApplicationRecord,
  { name, startMs, endMs, attributes, failure }: AttemptSpan,
): void {
  const {
    traceparent: parent,
    key,
    protocol,
    name: applicationName,
    attempt,
    namespace,
    podName,
    queue,
    appId,
  } = record;
  if (parent === undefined) return;
  const described = {
    "firesteel.application.key": key,
    "firesteel.application.name": applicationName,
    "firesteel.protocol": protocol,
    "firesteel.attempt": attempt,
    "firesteel.queue": queue,
    "k8s.namespace.name": namespace,
    "k8s.pod.name": podName,
    "firesteel.application.id": appId,
  };
  tracing.start({ name, kind: "internal", startMs, parent, attributes: described }).end({ endMs, attributes, failure });
}
