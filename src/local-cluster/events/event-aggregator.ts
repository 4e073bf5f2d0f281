import type { Clock } from "../../host/host.ts";

/** Properties of an event that decide which events are similar. */
export interface EventContent {
  /** Component and machine. */
  readonly source: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly fieldPath: string | undefined;
}

/** An event to record. Events with the same key increase one counter. `undefined`: the event is dropped. */
export type AggregatedEvent = { readonly key: string; readonly message: string } | undefined;

/** From this number on, events that differ only in their message are combined. */
const maxSimilarEvents = 10;
const similarForMs = 600_000;
/** Token bucket of a source for each object: burst size and refill interval. */
const burst = 25;
const refillMs = 300_000;

/**
 * Combines similar events of one object and limits their rate.
 *
 * Source: the event recorder of Kubernetes' Go client 0.35 with its defaults.
 */
export function eventAggregator({ now }: Pick<Clock, "now">): (content: EventContent) => AggregatedEvent {
  const similar = new Map<string, { readonly messages: Set<string>; last: number }>();
  const buckets = new Map<string, { left: number; at: number }>();

  function combine({ source, type, reason, message, fieldPath }: EventContent): NonNullable<AggregatedEvent> {
    const family = JSON.stringify([source, type, reason]);
    const known = similar.get(family);
    const isKnown = known !== undefined && now() - known.last <= similarForMs;
    const group = isKnown ? known : { messages: new Set<string>(), last: 0 };
    similar.set(family, group);
    group.messages.add(message);
    group.last = now();
    if (group.messages.size < maxSimilarEvents)
      return { key: JSON.stringify([source, type, reason, message, fieldPath]), message };
    const [some = message] = group.messages;
    group.messages.delete(some);
    return { key: family, message: `(combined from similar events): ${message}` };
  }

  function exceedsRate({ source, type }: EventContent): boolean {
    const key = JSON.stringify([source, type]);
    const before = buckets.get(key) ?? { left: burst, at: now() };
    const left = Math.min(burst, before.left + Math.max(0, now() - before.at) / refillMs);
    buckets.set(key, { left: left < 1 ? left : left - 1, at: now() });
    return left < 1;
  }

  return (content) => {
    const aggregated = combine(content);
    return exceedsRate(content) ? undefined : aggregated;
  };
}
