import type { Clock } from "../../host/host.ts";
import type { GatewayApplication } from "../model/application.ts";
import type { Applications } from "../model/applications.ts";
import type { LinksOf } from "../ui/ui-links.ts";
import { applicationJson } from "./application-json.ts";
import { printEvent } from "./event-stream.ts";

interface ChangeStreamCall {
  readonly applications: Pick<Applications, "onChange" | "list" | "get">;
  readonly clock: Pick<Clock, "after">;
  readonly signal: AbortSignal;
  readonly links: LinksOf;
}

/** Interval of comments, by which proxies and clients see that the connection works. */
const heartbeatMs = 15_000;

/**
 * Yields the changes of applications as server-sent events (WHATWG HTML, section 9.2), after one event for each that exists:
 * `application` with its present state, `removed` with its key. A slow client gets the last change of each application.
 */
export async function* changeStream(call: ChangeStreamCall): AsyncGenerator<string, void, undefined> {
  const { applications, clock, signal } = call;
  const unread = new Map<string, string>();
  let wake = () => {};
  const printed = (application: GatewayApplication) =>
    printEvent("application", applicationJson(application, call.links(application)));
  const add = (key: string, event: string) => {
    unread.set(key, event);
    wake();
  };
  const stop = applications.onChange((key, application) => {
    if (application === undefined) add(key, printEvent("removed", { key }));
    // A listener gets no position in the queue: that one also changes with other applications.
    else add(key, printed(applications.get(key) ?? application));
  });
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort);
  let isQuiet = false;
  try {
    for (const application of applications.list()) add(application.record.key, printed(application));
    yield printEvent("start", {});
    while (!signal.aborted) {
      if (unread.size > 0) {
        const events = [...unread.values()];
        unread.clear();
        yield events.join("");
        continue;
      }
      const cancel = clock.after(heartbeatMs, () => {
        isQuiet = true;
        wake();
      });
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (unread.size > 0 || signal.aborted) resolve();
      });
      cancel();
      if (isQuiet) yield ": the connection works\n\n";
      isQuiet = false;
    }
  } finally {
    stop();
    signal.removeEventListener("abort", onAbort);
  }
}
