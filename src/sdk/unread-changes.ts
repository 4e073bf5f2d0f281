import type { Pod } from "../kube/types.ts";
import { type ApplicationState, summarizeApplication } from "../masters/kubernetes/applications/application-summary.ts";
import type { TrackedObject } from "../masters/kubernetes/diagnose/informer.ts";
import type { ApplicationStatus } from "./application.ts";

/**
 * Change of an application, with its new status.
 *
 * @example
 * ```ts
 * const print = ({ type, application }: ApplicationChange) => console.log(type, application.appName, application.state);
 * ```
 */
export interface ApplicationChange {
  /**
   * `added`: exists in one of the states, also already at the start of the watch. `left`: was added, and is now in another state. It
   * can be added again. `deleted`: was added, and its pod does not exist any more.
   */
  readonly type: "added" | "changed" | "left" | "deleted";
  /** Status after the change; for `deleted`, the last known details. */
  readonly application: ApplicationStatus;
}

/** Changes that a reader has not taken yet: the last one of each application. */
export interface UnreadChanges {
  /** Adds the state of a driver, compared with the one that the reader knows. */
  readonly add: (driver: TrackedObject<Pod>) => void;
  /** Returns the oldest change, which the reader knows from then on. */
  readonly take: () => ApplicationChange | undefined;
}

/** Collects the changes of applications in these states; `undefined` for all. */
export function unreadChanges(states: readonly ApplicationState[] | undefined): UnreadChanges {
  /** Statuses of the applications that the reader knows to be in the states, as JSON by UID. */
  const known = new Map<string, string>();
  const unread = new Map<string, ApplicationChange>();
  return {
    add({ object, isDeleted }) {
      const uid = object.metadata?.uid ?? "";
      const summary = summarizeApplication(object);
      const isKnown = known.has(uid);
      if (isDeleted) {
        const application = { ...summary, state: "deleted" } as const;
        if (isKnown || unread.has(uid) || states === undefined) unread.set(uid, { type: "deleted", application });
      } else if (states?.includes(summary.state) === false) {
        if (isKnown) unread.set(uid, { type: "left", application: summary });
        else unread.delete(uid);
      } else if (known.get(uid) === JSON.stringify(summary)) unread.delete(uid);
      else unread.set(uid, { type: isKnown ? "changed" : "added", application: summary });
    },
    take() {
      const [first] = unread;
      if (first === undefined) return undefined;
      const [uid, change] = first;
      unread.delete(uid);
      const { type, application } = change;
      if (type === "left" || type === "deleted") known.delete(uid);
      else known.set(uid, JSON.stringify(application));
      return change;
    },
  };
}
