import type { Clock } from "../../host/host.ts";

/** Shared memory budget for content in transit. */
export interface ByteBudget {
  /** Waits until the bytes are free. Returns a function that releases them. @throws BusyError after 30 s */
  readonly acquire: (bytes: number) => Promise<() => void>;
}

/** The memory budget was exhausted for too long. */
export class BusyError extends Error {
  constructor() {
    super("too many uploads are in progress");
    this.name = "BusyError";
  }
}

const timeoutMs = 30_000;

/** Creates a budget. A request for more bytes than the budget gets the whole budget. */
export function byteBudget(clock: Clock, totalBytes: number): ByteBudget {
  let freeBytes = totalBytes;
  const waiting: { readonly bytes: number; readonly grant: () => void }[] = [];
  const serve = () => {
    for (let next = waiting[0]; next !== undefined && next.bytes <= freeBytes; next = waiting[0]) {
      waiting.shift();
      freeBytes -= next.bytes;
      next.grant();
    }
  };
  return {
    acquire(requested) {
      const bytes = Math.min(requested, totalBytes);
      let isHeld = true;
      const release = () => {
        if (isHeld) freeBytes += bytes;
        isHeld = false;
        serve();
      };
      return new Promise((resolve, reject) => {
        const cancel = clock.after(timeoutMs, () => {
          const index = waiting.indexOf(entry);
          if (index < 0) return;
          waiting.splice(index, 1);
          reject(new BusyError());
          serve();
        });
        const entry = {
          bytes,
          grant: () => {
            cancel();
            resolve(release);
          },
        };
        waiting.push(entry);
        serve();
      });
    },
  };
}
