import type { Clock } from "../../../host/host.ts";

/** Memory for what is on its way, shared by all who need some. */
export interface ByteBudget {
  /** Waits until so much is free. @returns how to give it back @throws BusyError after a while */
  readonly take: (bytes: number) => Promise<() => void>;
}

/** The memory budget is used up at present. */
export class BusyError extends Error {
  constructor() {
    super("too many uploads are on their way");
    this.name = "BusyError";
  }
}

const patienceMs = 30_000;

/** A budget of so many bytes. Who asks for more than there is at all gets all of it. */
export function byteBudget(clock: Clock, totalBytes: number): ByteBudget {
  let freeBytes = totalBytes;
  const waiting: { readonly bytes: number; readonly go: () => void }[] = [];
  const serve = () => {
    for (let next = waiting[0]; next !== undefined && next.bytes <= freeBytes; next = waiting[0]) {
      waiting.shift();
      freeBytes -= next.bytes;
      next.go();
    }
  };
  return {
    take(requested) {
      const bytes = Math.min(requested, totalBytes);
      let isTaken = true;
      const releaseResources = () => {
        if (isTaken) freeBytes += bytes;
        isTaken = false;
        serve();
      };
      return new Promise((resolve, reject) => {
        const cancel = clock.after(patienceMs, () => {
          const place = waiting.indexOf(entry);
          if (place < 0) return;
          waiting.splice(place, 1);
          reject(new BusyError());
          serve();
        });
        const entry = {
          bytes,
          go: () => {
            cancel();
            resolve(releaseResources);
          },
        };
        waiting.push(entry);
        serve();
      });
    },
  };
}
