import type { StoreEvent } from "./store.ts";

/** Number of events that a store keeps for watches that resume. */
const maxEvents = 5_000;
/** Events are forgotten in batches of this size. */
const batchSize = 1_000;

/** The last events of a store, for watches that resume. */
export interface EventHistory {
  readonly add: (event: StoreEvent) => void;
  /** Forgets everything up to a revision. */
  readonly forget: (revision: number) => void;
  /** Excludes the revisions between two others, which were never assigned. */
  readonly skip: (after: number, before: number) => void;
  /** Returns the events after a revision; `undefined` if some of them are forgotten. */
  readonly since: (revision: number) => readonly StoreEvent[] | undefined;
}

/** Creates an empty history. */
export function createEventHistory(): EventHistory {
  let events: StoreEvent[] = [];
  let forgotten = 0;
  let gap = { after: 0, before: 0 };
  return {
    add(event) {
      events.push(event);
      if (events.length < maxEvents + batchSize) return;
      forgotten = events[batchSize - 1]?.revision ?? forgotten;
      events = events.slice(batchSize);
    },
    forget(revision) {
      forgotten = revision;
    },
    skip(after, before) {
      gap = { after, before };
      if (events.length === 0) forgotten = Math.max(forgotten, after);
    },
    since(revision) {
      if (revision < forgotten || (revision > gap.after && revision < gap.before)) return undefined;
      return events.slice(firstAfter(events, revision));
    },
  };
}

/** Returns the index of the first event after a revision; events are sorted by revision. */
function firstAfter(events: readonly StoreEvent[], revision: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.revision ?? 0) > revision) high = middle;
    else low = middle + 1;
  }
  return low;
}
