import type { Clock } from "./host.ts";

/** Waits for work for a limited time. Rejects as the work does, or after the time with an Error; the work is not ended. */
export async function withinTime<T>(
  clock: Pick<Clock, "after">,
  work: Promise<T>,
  { limitMs, message }: { readonly limitMs: number; readonly message: string },
): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(limitMs, () => reject(new Error(message)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
