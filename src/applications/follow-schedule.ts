import { resourceTypes } from "../kube/resources.ts";
import type { Pod } from "../kube/types.ts";
import { interruption } from "../masters/interruption.ts";
import { roleLabel } from "../plan/labels.ts";
import type { ScheduledSparkApplication } from "../spark-application/application.ts";
import {
  decideRun,
  newScheduleStatus,
  type ScheduledRun,
  type ScheduleStatus,
} from "../spark-application/schedule/decide-run.ts";
import { stateOfDriver } from "../spark-application/state/driver-state.ts";
import type { ApplicationState } from "../spark-application/state/status.ts";
import type { ApplicationRun } from "./application-run.ts";
import type { AppliedApplication } from "./applied-application.ts";
import { deleteRun } from "./delete-run.ts";
import { driverRecord } from "./driver-record.ts";
import { followApplication, observe, statusOfDriver } from "./follow-application.ts";
import type { LoadedSchedule } from "./load-schedule.ts";

/** A schedule's cluster, and its runs as applications. */
export interface ScheduleRun extends ApplicationRun {
  readonly applicationOf: (name: string) => AppliedApplication;
}

/** Label of a run with the name of its schedule. */
const scheduleLabel = "sparkoperator.k8s.io/scheduled-app-name";

/** Longest wait between two decisions, in ms: the clock of the machine may change. */
const maxWaitMs = 60_000;

/** Functions that report what happens to a schedule. */
export interface ScheduleReport {
  readonly onState: (text: string) => void;
  /** Called with each failure of a run that has no driver. */
  readonly onFailure: (error: unknown) => void;
}

/** Starts the runs of a schedule at their times, and follows them, until an interrupt. */
export async function followSchedule(
  run: ScheduleRun,
  { schedule, next }: LoadedSchedule,
  { onState: report, onFailure }: ScheduleReport,
): Promise<void> {
  const { host } = run;
  const { name } = schedule.metadata;
  const interrupted = interruption(host);
  const following = new Map<string, FollowedRun>();
  let status: ScheduleStatus = newScheduleStatus;
  try {
    while (!interrupted.signal.aborted) {
      const listed = await scheduledRuns(run, schedule);
      const runs = listed.map((each) => ({ ...each, state: following.get(each.name)?.state ?? each.state }));
      const nowMs = host.clock.now();
      const decision = decideRun({ name, spec: schedule.spec, next, status, runs, nowMs });
      status = decision.status;
      if (decision.isSkipped) report(`${name}: a run is due, but the last one has not ended`);
      for (const old of [...decision.replaced, ...decision.expired]) {
        report(`${name}: deleting the run ${old}`);
        // Otherwise its restart policy could start it again.
        following.get(old)?.stop();
        await deleteRun(runOf(run, old), { signal: interrupted.signal });
      }
      if (interrupted.signal.aborted) break;
      const { create } = decision;
      if (create !== undefined)
        following.set(create, startRun(run, schedule, { name: create, onState: report, onFailure }));
      const waitMs = Math.min(decision.againAfterMs ?? maxWaitMs, maxWaitMs);
      if (decision.againAfterMs !== undefined && create !== undefined)
        report(`${name}: next run at ${new Date(nowMs + decision.againAfterMs).toISOString()}`);
      await host.clock.sleep(waitMs, { signal: interrupted.signal });
    }
    await Promise.all([...following.values()].map(({ end }) => end));
  } finally {
    interrupted.stop();
  }
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
