import type { GatewayApplication } from "../model/application.ts";
import type { Applications } from "../model/applications.ts";

/** Runs among the applications of a gateway. */
export interface RunIndex {
  /** Returns the runs of the schedule with a unique ID, the newest first. */
  readonly of: (uid: string) => readonly GatewayApplication[];
  readonly close: () => void;
}

/** Follows the applications: a gateway has thousands, of which few are runs of one schedule. */
export function runIndex(applications: Pick<Applications, "list" | "get" | "onChange">): RunIndex {
  const keys = new Map<string, Set<string>>();
  const add = ({ record: { key, schedule } }: GatewayApplication) => {
    if (schedule === undefined) return;
    const known = keys.get(schedule.uid);
    if (known === undefined) keys.set(schedule.uid, new Set([key]));
    else known.add(key);
  };
  for (const application of applications.list()) add(application);
  const close = applications.onChange((_, application) => {
    if (application !== undefined) add(application);
  });
  return {
    close,
    of(uid) {
      const known = keys.get(uid) ?? new Set();
      const runs = [...known].flatMap((key) => {
        const application = applications.get(key);
        if (application === undefined) known.delete(key);
        return application === undefined ? [] : [application];
      });
      if (known.size === 0) keys.delete(uid);
      return runs.sort((a, b) => b.record.number - a.record.number);
    },
  };
}
