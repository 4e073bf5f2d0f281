import type { GatewayApplication } from "../model/application.ts";
import type { Applications } from "../model/applications.ts";

/** Runs among the applications of a gateway. */
export interface RunIndex {
  /** Returns the runs of the schedule with a unique ID, the newest first. */
  readonly of: (uid: string) => readonly GatewayApplication[];
  /** Number of runs that it knows. */
  readonly size: () => number;
  readonly close: () => void;
}

/** Follows the applications: a gateway has thousands, of which few are runs of one schedule. */
export function runIndex(applications: Pick<Applications, "list" | "get" | "onChange">): RunIndex {
  /** Keys of runs by the unique ID of their schedule, and the other way round. */
  const keys = new Map<string, Set<string>>();
  const uids = new Map<string, string>();
  const add = ({ record: { key, schedule } }: GatewayApplication) => {
    if (schedule === undefined) return;
    uids.set(key, schedule.uid);
    const known = keys.get(schedule.uid);
    if (known === undefined) keys.set(schedule.uid, new Set([key]));
    else known.add(key);
  };
  const remove = (key: string) => {
    const uid = uids.get(key) ?? "";
    const known = keys.get(uid);
    uids.delete(key);
    known?.delete(key);
    if (known?.size === 0) keys.delete(uid);
  };
  for (const application of applications.list()) add(application);
  const close = applications.onChange((key, application) => {
    if (application === undefined) remove(key);
    else add(application);
  });
  return {
    close,
    size: () => uids.size,
    of(uid) {
      const runs = [...(keys.get(uid) ?? [])].flatMap((key) => applications.get(key) ?? []);
      return runs.sort((a, b) => b.record.number - a.record.number);
    },
  };
}
