import { messageOf } from "../errors/message-of.ts";
import type { StopSignal } from "../errors/stop-signal.ts";
import type { Clock } from "../host/host.ts";
import { resourceTypes } from "../kube/resources.ts";
import type { Pod } from "../kube/types.ts";
import { interruption } from "../masters/interruption.ts";
import { roleLabel } from "../plan/labels.ts";
import type { ScheduledSparkApplication } from "../spark-application/application.ts";
import {
  decideRun,
  newScheduleStatus,
  type RunDecision,
  type ScheduledRun,
  type ScheduleStatus,
} from "../spark-application/schedule/decide-run.ts";
import { stateOfDriver } from "../spark-application/state/driver-state.ts";
import type { ApplicationState } from "../spark-application/state/status.ts";
import type { ApplicationRun } from "./application-run.ts";
import type { AppliedApplication } from "./applied-application.ts";
import { deleteRun } from "./delete-run.ts";
import { driverRecord } from "./driver-record.ts";
import { observe, statusOfDriver } from "./driver-status.ts";
import { followApplication } from "./follow-application.ts";
import { isTemporary } from "./is-temporary.ts";
import type { LoadedSchedule } from "./load-schedule.ts";

/** A schedule's cluster, and its runs as applications. */
export interface ScheduleRun extends ApplicationRun {
  readonly applicationOf: (name: string) => AppliedApplication;
}

/** Label of a run with the name of its schedule. */
const scheduleLabel = "sparkoperator.k8s.io/scheduled-app-name";

/** Delay after a call that failed although the client repeated it. */
const retryMs = 10_000;

/** Longest wait between two comparisons with the clock, in ms: the clock of the machine may change. */
const maxWaitMs = 60_000;

/** Functions that report what happens to a schedule. */
export interface ScheduleReport {
  readonly onState: (text: string) => void;
  /** Called with each failure of a run that has no driver. */
  readonly onFailure: (error: unknown) => void;
}

/** Starts the runs of a schedule at their times, and follows them, until an interrupt. @returns the signal */
export async function followSchedule(
  run: ScheduleRun,
  { schedule, next }: LoadedSchedule,
  { onState: report, onFailure }: ScheduleReport,
): Promise<"SIGINT" | "SIGTERM" | undefined> {
  const { host } = run;
  const { name } = schedule.metadata;
  const interrupted = interruption(host);
  const following = new Map<string, FollowedRun>();
  let status: ScheduleStatus = newScheduleStatus;
  try {
    while (!interrupted.signal.aborted) {
      const { signal } = interrupted;
      let decision: TimedDecision;
      try {
        decision = await decideNow(run, { schedule, next, status, following, report, signal });
      } catch (error) {
        if (!isTemporary(error)) throw error;
        report(`${name}: ${messageOf(error)}; trying again`);
        await host.clock.sleep(retryMs, { signal });
        continue;
      }
      status = decision.status;
      if (signal.aborted) break;
      const { create, againAfterMs = maxWaitMs } = decision;
      if (create !== undefined)
        following.set(create, startRun(run, schedule, { name: create, onState: report, onFailure }));
      const untilMs = decision.decidedMs + againAfterMs;
      if (decision.againAfterMs !== undefined && create !== undefined)
        report(`${name}: next run at ${new Date(untilMs).toISOString()}`);
      await sleepUntil(host.clock, untilMs, interrupted.signal);
    }
    await Promise.all([...following.values()].map(({ end }) => end));
    return interrupted.received();
  } finally {
    interrupted.stop();
  }
}

interface TimedDecision extends RunDecision {
  /** In ms since 1970. */
  readonly decidedMs: number;
}

interface DecisionInput {
  readonly schedule: ScheduledSparkApplication;
  readonly next: LoadedSchedule["next"];
  readonly status: ScheduleStatus;
  readonly following: Map<string, FollowedRun>;
  readonly report: (text: string) => void;
  readonly signal: StopSignal;
}

/** Decides about the next run, and deletes those that it replaces, and expired ones. */
async function decideNow(
  run: ScheduleRun,
  { schedule, next, status, following, report, signal }: DecisionInput,
): Promise<TimedDecision> {
  const { name } = schedule.metadata;
  const listed = await scheduledRuns(run, schedule);
  for (const [old, { state }] of following)
    if (state !== "" && !listed.some((each) => each.name === old)) following.delete(old);
  const runs = listed.map((each) => ({ ...each, state: following.get(each.name)?.state ?? each.state }));
  const decidedMs = run.host.clock.now();
  const decision = decideRun({ name, spec: schedule.spec, next, status, runs, nowMs: decidedMs });
  if (decision.isSkipped) report(`${name}: a run is due, but the last one has not ended`);
  for (const old of [...decision.replaced, ...decision.expired]) {
    report(`${name}: deleting the run ${old}`);
    // Otherwise its restart policy could start it again.
    following.get(old)?.stop();
    await deleteRun(runOf(run, old), { signal });
  }
  return { ...decision, decidedMs };
}

/** Waits until a time, in ms since 1970. Compares it with the clock again and again, which may be set meanwhile. */
async function sleepUntil(clock: Clock, untilMs: number, signal: StopSignal): Promise<void> {
  for (let now = clock.now(); now < untilMs && !signal.aborted; now = clock.now())
    await clock.sleep(Math.min(untilMs - now, maxWaitMs), { signal });
}

/** Returns a run of a schedule as an application. */
export function runOf(run: ScheduleRun, name: string): ApplicationRun {
  return { ...run, application: run.applicationOf(name) };
}

/** Lists the runs of a schedule that exist, in the order of their names. */
export async function scheduledRuns(
  { client, application }: ApplicationRun,
  { metadata }: ScheduledSparkApplication,
): Promise<readonly ScheduledRun[]> {
  const { items } = await client.list<Pod>({
    type: resourceTypes.pod,
    namespace: application.namespace,
    labelSelector: `${scheduleLabel}=${metadata.name},${roleLabel}=driver`,
  });
  const runs = items.flatMap((pod) => {
    const name = driverRecord(pod)?.application;
    const createdMs = Date.parse(String(pod.metadata?.creationTimestamp ?? ""));
    return name === undefined ? [] : [{ name, createdMs, state: stateOf(pod) }];
  });
  return runs.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the state of a run that no process follows. */
function stateOf(pod: Pod): ApplicationState {
  const { state } = stateOfDriver(statusOfDriver(pod), { nowMs: 0, driver: observe(pod) });
  const ends: Readonly<Record<string, ApplicationState>> = { SUCCEEDING: "COMPLETED", FAILING: "FAILED" };
  return ends[state] ?? state;
}

/** A run that this process started. */
interface FollowedRun {
  state: ApplicationState;
  end: Promise<void>;
  /** Ends the restarts of the run. */
  readonly stop: () => void;
}

interface StartedRun extends ScheduleReport {
  readonly name: string;
}

function startRun(
  run: ScheduleRun,
  schedule: ScheduledSparkApplication,
  { name, onState, onFailure }: StartedRun,
): FollowedRun {
  onState(`starting the run ${name}`);
  const labels = { [scheduleLabel]: schedule.metadata.name };
  const stopped = new AbortController();
  const started: FollowedRun = { state: "", end: Promise.resolve(), stop: () => stopped.abort() };
  const follow = async () => {
    try {
      const { status } = await followApplication(
        { ...runOf(run, name), labels, stopped: stopped.signal },
        { onState, onOutcome: () => {}, onFailure },
      );
      started.state = status.state;
    } catch (error) {
      started.state = "FAILED";
      onState(`the run ${name} failed`);
      onFailure(error);
    }
  };
  started.end = follow();
  return started;
}
