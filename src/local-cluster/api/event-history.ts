import { serialized } from "./serialized.ts";
import type { StoreEvent } from "./store.ts";

/** Limits of the events that a store keeps for watches that resume. */
interface HistoryLimits {
  readonly maxEvents: number;
  /** Size of their objects as JSON, in characters: events of large objects are forgotten earlier. */
  readonly maxCharacters: number;
}

const defaultLimits: HistoryLimits = { maxEvents: 6_000, maxCharacters: 128 * 1024 * 1024 };

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
export function createEventHistory(limits = defaultLimits): EventHistory {
  let events: StoreEvent[] = [];
  /** Sizes of the events' objects. */
  let sizes: number[] = [];
  let characters = 0;
  let forgotten = 0;
  let gap = { after: 0, before: 0 };

  /** Forgets a sixth of the events, so that arrays are rarely copied, and more if the rest is too large. */
  function forgetOldest(): void {
    let count = 0;
    const enough = { events: (limits.maxEvents * 5) / 6, characters: (limits.maxCharacters * 5) / 6 };
    while (events.length - count > enough.events || (characters > enough.characters && count < events.length - 1)) {
      characters -= sizes[count] ?? 0;
      count += 1;
    }
    forgotten = events[count - 1]?.revision ?? forgotten;
    events = events.slice(count);
    sizes = sizes.slice(count);
  }

  return {
    add(event) {
      // The object of a deletion is the one of the event before.
      const size = event.type === "DELETED" ? 0 : serialized(event.object).length;
      events.push(event);
      sizes.push(size);
      characters += size;
      if (events.length >= limits.maxEvents || characters > limits.maxCharacters) forgetOldest();
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
