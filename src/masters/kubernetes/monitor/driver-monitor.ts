import { messageOf } from "../../../errors/submit-error.ts";
import type { TextSink } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import type { TerminationReason } from "../../submit-outcome.ts";
import { propertiesIn } from "../diagnose/driver-properties.ts";
import { type Observer, observer } from "../diagnose/observer.ts";
import { type DiagnosisMonitor, startDiagnosis } from "../diagnose/start-diagnosis.ts";
import type { LatestPod } from "../watch/latest-pod.ts";
import { followExecutorLogs } from "./follow-executor-logs.ts";
import type { MonitorOptions } from "./monitor-options.ts";
import { pollJobs } from "./poll-jobs.ts";
import { reportProgress } from "./report-progress.ts";
import { type StatusLine, statusLine } from "./status-line.ts";

/** Activities beside the wait for a driver: diagnosis, progress reports and executor logs. */
export interface DriverMonitor {
  /** Replaces the log of the call: it leaves room for the status line, as does `stdout`. */
  readonly log: Log;
  readonly stdout: TextSink;
  /** Whether to log the phase at Spark's interval. */
  readonly reportsPhase: boolean;
  /** Whether to log all fields of the pod after each change. */
  readonly reportsPodState: boolean;
  /** Undefined if the behaviors are Spark's and `failFast` is off. */
  readonly diagnosis: DiagnosisMonitor | undefined;
  /** Waits for the rest of the executor logs. Call it after the driver's end. */
  readonly drain: () => Promise<void>;
  /** Stops the diagnosis and the progress reports. */
  readonly mute: () => void;
  readonly stop: () => void;
}

/** Inputs of `startDriverMonitor`. */
export interface DriverMonitorCall extends MonitorOptions {
  readonly latest: LatestPod;
  readonly terminate: (why: TerminationReason) => Promise<void>;
  /** Aborts at the driver's end. */
  readonly signal: AbortSignal;
}

/** Starts the activities that the behaviors and options require. With Spark's behaviors there are none. */
export function startDriverMonitor(call: DriverMonitorCall): DriverMonitor {
  const { behaviors, host, log, waitOptions } = call;
  const isSpark = behaviors.diagnosis === "spark" && behaviors.statusLines === "spark";
  if (!isSpark || waitOptions.failFast || waitOptions.logs === "all") return startMonitors(call);
  return {
    ...{ log, stdout: host.stdout, reportsPhase: true, reportsPodState: true, diagnosis: undefined },
    drain: async () => {},
    mute() {},
    stop() {},
  };
}

/** Parts that the activities share. */
interface MonitorParts {
  readonly observer: Observer;
  readonly line: StatusLine;
  /** Aborts at the driver's end, or when the monitor is muted. */
  readonly signal: AbortSignal;
}

function startMonitors(call: DriverMonitorCall): DriverMonitor {
  const { behaviors, verbose = false } = call;
  const line = statusLine({ host: call.host, log: call.log });
  const muted = new AbortController();
  const signal = AbortSignal.any([call.signal, muted.signal]);
  const parts = { observer: startObserver(call, line.log), line, signal };
  const diagnosis = startDiagnosisIfNeeded(call, parts);
  const logs = startExecutorLogs(call, parts);
  const reportsPhase = behaviors.statusLines === "spark";
  if (!reportsPhase) startProgress(call, parts);
  return {
    ...{ log: line.log, stdout: line.stdout, diagnosis, reportsPhase },
    // On a terminal, the status line has the state.
    reportsPodState: reportsPhase || verbose || !line.isTerminal,
    async drain() {
      await logs?.drain();
    },
    mute() {
      muted.abort();
      line.clear();
    },
    stop() {
      logs?.stop();
      line.clear();
    },
  };
}

function startObserver(call: DriverMonitorCall, log: Log): Observer {
  const { client, host, latest, container, resources, signal } = call;
  const { clock, random } = host;
  return observer({
    ...{ client, clock, random, latest, container, signal },
    properties: resources && propertiesIn(resources),
    onDenied: once((error) => log("INFO", "Diagnosis", `Some causes may remain unknown: ${messageOf(error)}`)),
  });
}

function startDiagnosisIfNeeded(
  call: DriverMonitorCall,
  { observer, line, signal }: MonitorParts,
): DiagnosisMonitor | undefined {
  const { host, latest, container, behaviors, waitOptions, terminate } = call;
  const isLogged = behaviors.diagnosis === "live";
  if (!isLogged && !waitOptions.failFast) return undefined;
  return startDiagnosis({
    ...{ clock: host.clock, latest, container, observer, signal },
    log: isLogged ? line.log : () => {},
    onUnrecoverable: () => {
      if (waitOptions.failFast) void terminate({ kind: "unrecoverable" });
    },
  });
}

function startExecutorLogs(call: DriverMonitorCall, { observer, line, signal }: MonitorParts) {
  if (call.waitOptions.logs !== "all") return undefined;
  const { clock, random } = call.host;
  const client = call.client.withoutRetries();
  const { log, stdout } = line;
  return followExecutorLogs({ client, clock, random, log, stdout, observer, signal });
}

function startProgress(call: DriverMonitorCall, { observer, line, signal }: MonitorParts): void {
  const { app, host, latest, container } = call;
  const { clock } = host;
  const client = call.client.withoutRetries();
  const jobs = pollJobs({ client, clock, appId: app.id, latest, signal });
  void reportProgress({ clock, latest, container, observer, jobs, line, signal });
}

function once(action: (error: unknown) => void): (error: unknown) => void {
  let isDone = false;
  return (error) => {
    if (!isDone) action(error);
    isDone = true;
  };
}
