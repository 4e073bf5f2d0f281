import type { Clock } from "../../host/host.ts";
import { finalStates, type GatewayApplication } from "../model/application.ts";
import type { Applications, LogRange } from "../model/applications.ts";
import { printEvent } from "./event-stream.ts";

interface FollowCall {
  readonly applications: Pick<Applications, "get" | "readLog" | "followLog">;
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
}

/** Time until the next attempt when no container writes the log. */
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
    const isLast = page.from + page.lines.length >= page.total;
    // The driver can still be writing the last line.
    const lines = isLast && !hasEnded ? page.lines.slice(0, -1) : page.lines;
    let from = page.from + lines.length;
    if (lines.length > 0) yield printEvent("lines", { ...page, lines });
    if (isLast && hasEnded) return yield printEvent("end", {});
    if (isLast) {
      for await (const grown of await applications.followLog(key, from, signal)) {
        yield printEvent("lines", grown);
        from = grown.from + grown.lines.length;
      }
      await clock.sleep(intervalMs, { signal });
    }
    next = { from, count: pageLines };
  }
}

function isFinal(application: GatewayApplication | undefined): boolean {
  return application === undefined || finalStates.has(application.state);
}
