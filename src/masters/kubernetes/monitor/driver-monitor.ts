import type { Behaviors } from "../../../conf/behaviors.ts";
import type { SparkLineTraits } from "../../../conf/spark-version.ts";
import type { Host, TextSink } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import type { KubeResource, Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import type { Interruption } from "../../interruption.ts";
import type { SubmitContext } from "../../master-strategy.ts";
import type { Submitted, TerminationReason } from "../../submit-outcome.ts";
import type { WaitOptions } from "../../wait-options.ts";
import type { Archive } from "../archive/start-archive.ts";
import { propertiesIn } from "../diagnose/driver-properties.ts";
import { observer } from "../diagnose/observer.ts";
import { type DiagnosisMonitor, startDiagnosis } from "../diagnose/start-diagnosis.ts";
import { followExecutorLogs } from "../logs/follow-executor-logs.ts";
import type { UploadsRemoval } from "../stage/uploads/remove-uploads.ts";
import type { WatchedPod } from "../watch/latest-pod.ts";
import { pollJobs } from "./poll-jobs.ts";
import { reportProgress } from "./report-progress.ts";
import { statusLine } from "./status-line.ts";

/** An existing driver, and the options of the wait for it. */
export interface MonitorOptions {
  readonly host: Pick<Host, "clock" | "random" | "stdout" | "stderr" | "env">;
  readonly client: KubeClient;
  readonly log: Log;
  readonly interrupted: Interruption;
  readonly app: { readonly name: string; readonly id: string };
  readonly pod: Pod;
  /** Name of the driver's container. */
  readonly container: string;
  readonly traits: Pick<SparkLineTraits, "strayBraceInWaitingLine" | "watchNamesPodFirst">;
  readonly behaviors: Behaviors;
  readonly waitOptions: WaitOptions;
  /** Its cluster, for commands in messages. */
  readonly cluster: Pick<Submitted, "master" | "context">;
  /** Whether to log the pod's fields on a terminal, too. @default false */
  readonly verbose?: boolean | undefined;
  /** Means to remove the driver's uploads after its end, if its pod lists them. @default they are not removed */
  readonly uploader?: UploadsRemoval | undefined;
  /** Objects of the submission, which contain the driver's settings. @default read from the cluster */
  readonly resources?: readonly KubeResource[] | undefined;
  readonly onWait?: SubmitContext["onWait"];
}

/** Activities beside the wait for a driver: diagnosis, progress reports and executor logs. */
export interface DriverMonitor {
  /** Leaves room for the status line, as does `stdout`. */
  readonly log: Log;
  readonly stdout: TextSink;
  /** Whether to log the phase at Spark's interval. */
  readonly reportsPhase: boolean;
  /** Whether to log all fields of the pod after each change. */
  readonly reportsPodState: boolean;
  /** Undefined if the behaviors are Spark's and `failFast` is off. */
  readonly diagnosis: DiagnosisMonitor | undefined;
  /** Undefined without an archive. */
  readonly archive: Promise<Archive | undefined> | undefined;
  /** Waits for the rest of the executor logs. Call it after the driver's end. */
  readonly drain: () => Promise<void>;
  /** Stops the diagnosis and the progress reports. */
  readonly mute: () => void;
  readonly stop: () => void;
}

interface DriverMonitorCall extends MonitorOptions {
  /** The driver. Its signal aborts at its end. */
  readonly watched: WatchedPod;
  readonly terminate: (why: TerminationReason) => Promise<void>;
}

/** Starts the activities that the behaviors and options require. With Spark's behaviors there are none. */
export function startDriverMonitor(call: DriverMonitorCall): DriverMonitor {
  const { behaviors, host, log, waitOptions } = call;
  const isSpark = behaviors.diagnosis === "spark" && behaviors.statusLines === "spark";
  const { archive, failFast, logs } = waitOptions;
  if (!isSpark || failFast || logs === "all" || archive !== undefined) return startMonitors(call);
  return {
    ...{ log, stdout: host.stdout, reportsPhase: true, reportsPodState: true },
    ...{ diagnosis: undefined, archive: undefined },
    drain: async () => {},
    mute() {},
    stop() {},
  };
}

function startMonitors(call: DriverMonitorCall): DriverMonitor {
  const { app, behaviors, resources, terminate, verbose = false, waitOptions } = call;
  const line = statusLine(call);
  const { log, stdout } = line;
  const muted = new AbortController();
  const signal = AbortSignal.any([call.watched.signal, muted.signal]);
  // The final diagnosis follows the muting, so the observer does not stop with the other activities.
  const observed = observer({ ...call.watched, log, properties: resources && propertiesIn(resources) });
  const watched = { ...call.watched, client: call.client.withoutRetries(), log, signal, observer: observed };
  const isLogged = behaviors.diagnosis === "live";
  const onUnrecoverable = () => {
    if (waitOptions.failFast) void terminate({ kind: "unrecoverable" });
  };
  const diagnosis =
    isLogged || waitOptions.failFast
      ? startDiagnosis({ ...watched, log: isLogged ? log : () => {}, onUnrecoverable })
      : undefined;
  const archive =
    waitOptions.archive === undefined
      ? undefined
      : import("../archive/start-archive.ts").then(({ startArchive }) =>
          startArchive({ ...call, log, observer: observed }),
        );
  const logs = waitOptions.logs === "all" ? followExecutorLogs({ ...watched, stdout }) : undefined;
  const reportsPhase = behaviors.statusLines === "spark";
  if (!reportsPhase) void reportProgress({ ...watched, line, jobs: pollJobs({ ...watched, appId: app.id }) });
  return {
    ...{ log, stdout, diagnosis, archive, reportsPhase },
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
      void archive?.then((started) => started?.stop());
      line.clear();
    },
  };
}
