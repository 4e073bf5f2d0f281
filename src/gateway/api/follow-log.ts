import type { Clock } from "../../host/host.ts";
import { finalStates, type GatewayApplication } from "../model/application.ts";
import type { Applications, LogRange } from "../model/applications.ts";

interface FollowCall {
  readonly applications: Pick<Applications, "get" | "readLog">;
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
}

/** Interval between reads of a log that grows. */
const intervalMs = 1000;
const pageLines = 5000;

/** Yields the lines of a log as server-sent events with a page each, until the application has ended: then an event `end` follows. */
export async function* followLog(
  { applications, clock, signal }: FollowCall,
  { record: { key } }: GatewayApplication,
  range: LogRange,
): AsyncGenerator<string, void, undefined> {
  let next: LogRange = range;
  while (!signal.aborted) {
    const hasEnded = isFinal(applications.get(key));
    const page = await applications.readLog(key, next);
    const from = page.from + page.lines.length;
    if (page.lines.length > 0) yield `event: lines\ndata: ${JSON.stringify(page)}\n\n`;
    next = { from, count: pageLines };
    if (from < page.total) continue;
    if (hasEnded) return yield "event: end\ndata: {}\n\n";
    await clock.sleep(intervalMs, { signal });
  }
}

function isFinal(application: GatewayApplication | undefined): boolean {
  return application === undefined || finalStates.has(application.state);
}
