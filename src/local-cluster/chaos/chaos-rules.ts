import type { Clock, Random } from "../../host/host.ts";
import { timestamp } from "../api/timestamp.ts";
import type { ChaosEntry, ChaosRule } from "./chaos-rule.ts";

export interface ChaosRules {
  readonly add: (rule: ChaosRule) => ChaosEntry;
  /** Lists rules that have not expired, including those that have reached `times`. */
  readonly list: () => readonly ChaosEntry[];
  /** Removes a rule. @returns false if the ID does not exist */
  readonly remove: (id: string) => boolean;
  readonly clear: () => void;
  /** Returns the oldest matching rule that is due, and updates its counters. */
  readonly inject: (matches: (rule: ChaosRule) => boolean) => ChaosRule | undefined;
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
  injected: number;
}

/** Creates an empty list of rules. Rules measure their duration with the clock that incidents do not step. */
export function chaosRules({ clock, random }: { readonly clock: Clock; readonly random: Random }): ChaosRules {
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
      const isUnlimited = forMs === undefined;
      const entry: Counted = {
        ...{ id: `chaos-${lastId}`, rule, seed, next: fractions(seed), seen: 0, injected: 0 },
        ends: isUnlimited ? Number.POSITIVE_INFINITY : clock.monotonic() + forMs,
        until: isUnlimited ? undefined : timestamp(clock.now() + forMs),
      };
      entries.set(entry.id, entry);
      return shown(entry);
    },
    list: () => current().map(shown),
    remove: (id) => entries.delete(id),
    clear: () => entries.clear(),
    inject: (matches) => current().find((entry) => matches(entry.rule) && shouldInject(entry))?.rule,
    isEmpty: () => entries.size === 0,
  };
}

function shown({ id, rule, seed, seen, injected, until }: Counted): ChaosEntry {
  return { id, rule, seed, seen, injected, ...(until === undefined ? {} : { until }) };
}

/** Counts a match and decides whether to inject the fault. */
function shouldInject(entry: Counted): boolean {
  const { skip = 0, times = Number.POSITIVE_INFINITY, probability = 1 } = entry.rule;
  entry.seen += 1;
  if (entry.seen <= skip || entry.injected >= times) return false;
  if (probability < 1 && entry.next() >= probability) return false;
  entry.injected += 1;
  return true;
}

/** Returns a generator of numbers in [0, 1), the same for the same seed. Source: Tommy Ettinger's Mulberry32. */
function fractions(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
