import type { Clock } from "../../host/host.ts";
import type { StoreEvent } from "../api/store.ts";

/** Committed changes that the disk did not accept: the last one of each object. */
interface PendingWrites {
  readonly add: (events: readonly StoreEvent[]) => void;
  /** Writes the pending changes. On failure it throws and keeps them. */
  readonly flush: () => void;
  readonly stop: () => void;
}

const retryMs = 1000;

/** Retries pending changes each second until they are written. */
export function pendingWrites(
  clock: Pick<Clock, "after">,
  write: (events: readonly StoreEvent[]) => void,
): PendingWrites {
  const pending = new Map<string, StoreEvent>();
  let cancel: (() => void) | undefined;

  function flush(): void {
    if (pending.size === 0) return;
    write([...pending.values()].sort((a, b) => a.revision - b.revision));
    pending.clear();
    cancel?.();
    cancel = undefined;
  }

  function retry(): void {
    cancel = undefined;
    try {
      flush();
    } catch {
      cancel = clock.after(retryMs, retry);
    }
  }

  return {
    flush,
    add(events) {
      for (const event of events) pending.set(keyOf(event), event);
      cancel ??= clock.after(retryMs, retry);
    },
    stop: () => cancel?.(),
  };
}

function keyOf({ collection, object: { metadata } }: StoreEvent): string {
  return `${collection} ${metadata.namespace ?? ""}/${metadata.name}`;
}
