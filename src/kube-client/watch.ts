import { submitError } from "../errors/submit-error.ts";
import { parseWatchEvent, type WatchEvent } from "../kube/watch-event.ts";
import type { WatchCall } from "./call.ts";
import type { Api } from "./exchange.ts";
import { lines } from "./lines.ts";
import { streamBody } from "./stream.ts";
import { aboutCollection } from "./target.ts";
import { timeLimit } from "./time-limit.ts";

// The server ends a watch at its timeout. A watch that lasts longer by this factor has lost its connection.
const timeoutFactor = 1.5;

/** Sends one watch request. Yields events until the server ends it or the time limit is exceeded. */
export async function* watchOnce<T>(api: Api, call: WatchCall): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const { labelSelector, fieldSelector, resourceVersion, timeoutSeconds } = call;
  const limit = timeLimit(api.clock, (timeoutSeconds ?? 0) * 1000 * timeoutFactor, call.signal);
  const query = {
    allowWatchBookmarks: true,
    fieldSelector,
    labelSelector,
    resourceVersion,
    timeoutSeconds,
    watch: true,
  };
  const request = { ...aboutCollection(call, "watch", query), method: "GET", signal: limit.signal } as const;
  try {
    for await (const { text, ended } of lines(streamBody(api, request))) {
      // A line without a newline was cut off. The next watch returns the event again.
      if (ended && text !== "") yield readEvent<T>(api, request.target, text);
    }
  } catch (error) {
    if (!limit.isExceeded()) throw error;
  } finally {
    limit.release();
  }
}

function readEvent<T>(api: Api, target: string, line: string): WatchEvent<T> {
  const event = parseWatchEvent<T>(line);
  if (event !== undefined) return event;
  const url = `${api.server}${target.split("?")[0]}`;
  throw submitError("SUBMIT_ERR_KUBE_RESPONSE", {
    method: "GET",
    url,
    reason: "a line of the watch is not an event",
  });
}
