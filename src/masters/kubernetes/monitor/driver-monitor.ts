import { messageOf } from "../../../errors/submit-error.ts";
import type { TextSink } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import { propertiesIn } from "../diagnose/driver-properties.ts";
import { observer } from "../diagnose/observer.ts";
import { type DiagnosisMonitor, startDiagnosis } from "../diagnose/start-diagnosis.ts";
import type { LatestPod } from "../watch/latest-pod.ts";
import type { TerminationReason } from "./driver-terminator.ts";
import { followExecutorLogs } from "./follow-executor-logs.ts";
import type { MonitorOptions } from "./monitor-options.ts";
import { pollJobs } from "./poll-jobs.ts";
import { reportProgress } from "./report-progress.ts";
import { statusLine } from "./status-line.ts";

/** What goes on beside the waiting: reasons, progress, the logs of executors. */
export interface DriverMonitor {
  /** To be written to instead of the call's own. */
  readonly log: Log;
  readonly stdout: TextSink;
  /** The terminal's last line tells the state. */
  readonly hasStatusLine: boolean;
  /** Absent where nobody looks for reasons. */
  readonly trouble: DiagnosisMonitor | undefined;
  /** At the driver's end: waits for what is still to be shown. */
  readonly drain: () => Promise<void>;
  /** Nothing more is told: the driver is at its end. */
  readonly mute: () => void;
  readonly stop: () => void;
}

/** A driver that is waited for. */
export interface DriverMonitorCall extends MonitorOptions {
  readonly latest: LatestPod;
  readonly terminate: (why: TerminationReason) => Promise<void>;
  /** Aborts when the driver is at its end. */
  readonly signal: AbortSignal;
}

/** Begins all of it that is wanted: exactly Spark's behaviour is none of it. */
export function startDriverMonitor(call: DriverMonitorCall): DriverMonitor {
  const { host, behaviors, waitOptions } = call;
  const asSpark = behaviors.diagnosis === "spark" && !waitOptions.failFast && waitOptions.logs !== "all";
  if (asSpark) {
    const drain = async () => {};
    return {
      log: call.log,
      stdout: host.stdout,
      hasStatusLine: false,
      trouble: undefined,
      drain,
      mute() {},
      stop() {},
    };
  }
  return goAlong(call);
}

function goAlong(call: DriverMonitorCall): DriverMonitor {
  const { host, client, container, latest, behaviors, waitOptions, resources, signal } = call;
  const isDiagnosed = behaviors.diagnosis === "live";
  const { clock, random } = host;
  const line = statusLine({ host, clock, log: call.log });
  const { log, stdout } = line;
  const seen = observer({
    ...{ client, clock, random, latest, container, signal },
    properties: resources && propertiesIn(resources),
    onDenied: once((error) => log("INFO", "Diagnosis", `Reasons may stay in the dark: ${messageOf(error)}`)),
  });
  const told = new AbortController();
  const telling = AbortSignal.any([signal, told.signal]);
  const parts = { clock, latest, container, observer: seen, signal: telling };
  const trouble =
    !isDiagnosed && !waitOptions.failFast
      ? undefined
      : startDiagnosis({
          ...parts,
          log: isDiagnosed ? log : () => {},
          onUnrecoverable: () => {
            if (waitOptions.failFast) void call.terminate({ kind: "unrecoverable" });
          },
        });
  const logs =
    waitOptions.logs === "all"
      ? followExecutorLogs({ ...parts, client: client.withoutRetries(), random, log, stdout })
      : undefined;
  if (isDiagnosed) {
    const jobs = pollJobs({
      client: client.withoutRetries(),
      clock,
      appId: call.app.id,
      latest,
      signal: telling,
    });
    void reportProgress({ ...parts, jobs, line });
  }
  return {
    ...{ log, stdout, trouble, hasStatusLine: line.isTerminal && behaviors.statusLines === "onChange" },
    async drain() {
      await logs?.drain();
    },
    mute() {
      told.abort();
      line.clear();
    },
    stop() {
      logs?.stop();
      line.clear();
    },
  };
}

function once(action: (error: unknown) => void): (error: unknown) => void {
  let isDone = false;
  return (error) => {
    if (!isDone) action(error);
    isDone = true;
  };
}
