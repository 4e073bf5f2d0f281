import type { Clock, Random } from "../../host/host.ts";
import { timestamp } from "../api/timestamp.ts";
import type { ChaosEntry, ChaosRule } from "./chaos-rule.ts";

/** The active rules. */
export interface ChaosRules {
  readonly add: (rule: ChaosRule) => ChaosEntry;
  /** Lists rules that have not expired, including those that have reached `times`. */
  readonly list: () => readonly ChaosEntry[];
  /** Removes a rule. @returns false if the ID does not exist */
  readonly remove: (id: string) => boolean;
  readonly clear: () => void;
  /** Returns the oldest matching rule that is due, and updates its counters. */
  readonly inject: (fits: (rule: ChaosRule) => boolean) => ChaosRule | undefined;
  /** Checks whether no rule is active, so that requests are not parsed unnecessarily. */
  readonly isEmpty: () => boolean;
}

interface Counted {
  readonly id: string;
  readonly rule: ChaosRule;
  readonly seed: number;
  readonly next: () => number;
  /** Ms of the steady clock. */
  readonly ends: number;
  readonly until: string | undefined;
  seen: number;
  struck: number;
}

/** A new, empty book. Its rules count time by the clock that no incident steps. */
export function chaosRules({
  clock,
  random,
}: {
  readonly clock: Clock;
  readonly random: Random;
}): ChaosRules {
  const entries = new Map<string, Counted>();
  let lastId = 0;

  function current(): readonly Counted[] {
    for (const { id, ends } of [...entries.values()]) if (clock.monotonic() >= ends) entries.delete(id);
    return [...entries.values()];
  }

  return {
    add(rule) {
      lastId += 1;
      const { forMs, seed = Math.floor(random.fraction() * 2 ** 31) } = rule;
      const isEndless = forMs === undefined;
      const entry: Counted = {
        ...{ id: `chaos-${lastId}`, rule, seed, next: fractions(seed), seen: 0, struck: 0 },
        ends: isEndless ? Number.POSITIVE_INFINITY : clock.monotonic() + forMs,
        until: isEndless ? undefined : timestamp(clock.now() + forMs),
      };
      entries.set(entry.id, entry);
      return shown(entry);
    },
    list: () => current().map(shown),
    remove: (id) => entries.delete(id),
    clear: () => entries.clear(),
    inject: (fits) => current().find((entry) => fits(entry.rule) && isTurnOf(entry))?.rule,
    isEmpty: () => entries.size === 0,
  };
}

function shown({ id, rule, seed, seen, struck, until }: Counted): ChaosEntry {
  return { id, rule, seed, seen, struck, ...(until === undefined ? {} : { until }) };
}

/** Counts one that fits, and tells whether it is struck. */
function isTurnOf(entry: Counted): boolean {
  const { skip = 0, times = Number.POSITIVE_INFINITY, probability = 1 } = entry.rule;
  entry.seen += 1;
  if (entry.seen <= skip || entry.struck >= times) return false;
  if (probability < 1 && entry.next() >= probability) return false;
  entry.struck += 1;
  return true;
}

/** The same numbers in [0, 1) for the same seed. Source: Tommy Ettinger's Mulberry32. */
function fractions(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
