import type { Clock } from "../../host/host.ts";
import type { StoreEvent } from "../api/store.ts";

/** Changes that have happened although the disk did not take them: of each object the last. */
export interface LateChanges {
  readonly add: (events: readonly StoreEvent[]) => void;
  /** Writes them, if there are any. Throws what the writing throws; they are kept then. */
  readonly flush: () => void;
  readonly stop: () => void;
}

const retryMs = 1000;

/** Tries to write what is late each second, until it is written. */
export function pendingWrites(
  clock: Pick<Clock, "after">,
  write: (events: readonly StoreEvent[]) => void,
): LateChanges {
  const late = new Map<string, StoreEvent>();
  let cancel: (() => void) | undefined;

  function flush(): void {
    if (late.size === 0) return;
    write([...late.values()].sort((a, b) => a.revision - b.revision));
    late.clear();
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
      for (const event of events) late.set(keyOf(event), event);
      cancel ??= clock.after(retryMs, retry);
    },
    stop: () => cancel?.(),
  };
}

function keyOf({ collection, object: { metadata } }: StoreEvent): string {
  return `${collection} ${metadata.namespace ?? ""}/${metadata.name}`;
}
