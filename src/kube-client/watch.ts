import { parseWatchEvent, type WatchEvent } from "../kube/watch-event.ts";
import type { WatchCall } from "./call.ts";
import type { Api, Exchange } from "./exchange.ts";
import { lines, type StreamLine } from "./lines.ts";
import { malformedResponse } from "./malformed-response.ts";
import { requireBookmark, requireObject } from "./require-object.ts";
import { streamBody } from "./stream.ts";
import { aboutCollection } from "./target.ts";
import { timeLimit } from "./time-limit.ts";

// The server ends a watch at its timeout. A watch that lasts longer by this factor has lost its connection.
const timeoutFactor = 1.5;

/** Maximum size of an event. Source: client-go, streaming.NewDecoder. */
const maxEventBytes = 16 * 1024 * 1024;

/** Sends one watch request. Yields events until the server ends it or the time limit is exceeded. */
export async function* watchOnce<T>(api: Api, call: WatchCall): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const { labelSelector, fieldSelector, resourceVersion, timeoutSeconds } = call;
  const limit = timeLimit(api.clock, { ms: (timeoutSeconds ?? 0) * 1000 * timeoutFactor, caller: call.signal });
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
    for await (const line of lines(streamBody(api, request), maxEventBytes)) {
      // A line without a newline was cut off. The next watch returns the event again.
      if (line.end !== "stream" && line.bytes.length > 0) yield readEvent<T>(api, request, line);
    }
  } catch (error) {
    if (!limit.isExceeded()) throw error;
  } finally {
    limit.release();
  }
}

function readEvent<T>(api: Api, request: Exchange, { bytes, end }: StreamLine): WatchEvent<T> {
  if (end === "limit") throw malformedResponse(api, request, `an event is longer than ${maxEventBytes} bytes`);
  const event = parseWatchEvent<T>(bytes.toString("utf8"));
  if (event === undefined) throw malformedResponse(api, request, "a line of the watch is not an event");
  if (event.type === "ERROR") return event;
  const check = event.type === "BOOKMARK" ? requireBookmark : requireObject;
  return { type: event.type, object: check(api, request, event.object) };
}
