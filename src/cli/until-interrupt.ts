import type { Host } from "../host/host.ts";

/** Calls `use` with a signal that aborts at an interrupt (SIGINT or SIGTERM), which then does not end the program. */
export async function untilInterrupt<T>(
  { onSignal }: Pick<Host, "onSignal">,
  use: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interrupted = new AbortController();
  const removals = (["SIGINT", "SIGTERM"] as const).map((name) => onSignal(name, () => interrupted.abort()));
  try {
    return await use(interrupted.signal);
  } finally {
    for (const remove of removals) remove();
  }
}
