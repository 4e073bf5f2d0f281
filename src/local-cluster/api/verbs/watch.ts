import type { Action, ApiScope, Call } from "../call.ts";
import type { JsonObject } from "../json.ts";
import { apiVersionOf } from "../kinds/kind.ts";
import { eventLine } from "../serialized.ts";
import { expired, streamNotAcceptable } from "../status.ts";
import type { StoredObject, StoreEvent } from "../store.ts";
import { viewer } from "../wire/views.ts";
import { eventQueue } from "./event-queue.ts";
import { type ListOptions, listOptions, type Selection } from "./list-options.ts";

/** A watch without timeoutSeconds lasts a random time between these. */
const minDurationMs = 30 * 60_000;
const maxDurationMs = 60 * 60_000;

const bookmarkEveryMs = 60_000;

/** Time between the last bookmark and the end, so that a client can resume there. */
const lastBookmarkMs = 2_000;

/** Maximum number of waiting events; a slower client is dropped. */
const backlogLimit = 20_000;

type EventType = StoreEvent["type"] | "BOOKMARK" | "ERROR";

/** Watches a collection: one event per chunk until the client or the timeout ends it. */
export const watch: Action = (api, call) => {
  if (call.representation.media === "yaml") throw streamNotAcceptable();
  const options = listOptions(call, { isWatch: true });
  const show = viewer({ ...call, now: api.clock.now });
  const queue = eventQueue(backlogLimit);
  const send = (type: EventType, object: JsonObject) => queue.push(eventLine(type, object));
  const bookmark = (annotations?: JsonObject) => {
    const metadata = { resourceVersion: String(api.store.revision()) };
    const object = {
      kind: call.kind.kind,
      apiVersion: apiVersionOf(call.kind),
      metadata: annotations === undefined ? metadata : { ...metadata, annotations },
    };
    send("BOOKMARK", call.representation.view === "object" ? object : bookmarkView(show.next, object));
  };
  const deliver = (event: StoreEvent) => {
    if (event.collection !== call.kind.collection) return;
    const change = changeFor(event, call.namespace, options.selection);
    if (change !== undefined) send(change.type, show.next(change.object));
  };
  const start = startOf(api, call, options);
  if (start.type === "expired") {
    send("ERROR", expired(`too old resource version: ${options.revision} (${api.store.revision()})`).status);
    queue.end();
    return stream(queue.chunks(call.signal));
  }
  for (const object of start.initial) send("ADDED", show.next(object));
  if (start.marksEnd) bookmark({ "k8s.io/initial-events-end": "true" });
  for (const event of start.missed) deliver(event);
  const stopListening = api.store.subscribe(deliver);
  const stopTimers = startTimers(api, options, { bookmark, end: queue.end });
  api.streams.add(queue.end);
  queue.onClose(() => {
    api.streams.delete(queue.end);
    stopListening();
    stopTimers();
  });
  return stream(queue.chunks(call.signal));
};

function stream(chunks: AsyncIterable<Uint8Array>) {
  return { type: "stream", contentType: "application/json", chunks } as const;
}

type Start =
  | { readonly type: "expired" }
  | {
      readonly type: "events";
      /** Existing objects. */
      readonly initial: readonly StoredObject[];
      readonly marksEnd: boolean;
      /** Events since the client's revision. */
      readonly missed: readonly StoreEvent[];
    };

function startOf({ store }: ApiScope, { kind, namespace }: Call, options: ListOptions): Start {
  const { revision, sendInitialEvents, allowBookmarks, selection } = options;
  const isAny = revision === undefined || revision === 0;
  if (sendInitialEvents === false && isAny) return { type: "events", initial: [], marksEnd: false, missed: [] };
  if (sendInitialEvents === true || isAny) {
    const initial = store.list(kind.collection, namespace).filter((object) => selection.matches(object));
    return { type: "events", initial, marksEnd: allowBookmarks, missed: [] };
  }
  const missed = store.since(revision);
  if (missed === undefined) return { type: "expired" };
  return { type: "events", initial: [], marksEnd: false, missed };
}

/** Converts an event for a client that sees only the selected objects. */
function changeFor(
  { type, object, previous }: StoreEvent,
  namespace: string | undefined,
  { matches }: Selection,
): { type: StoreEvent["type"]; object: StoredObject } | undefined {
  if (namespace !== undefined && object.metadata.namespace !== namespace) return undefined;
  const matched = previous !== undefined && matches(previous);
  if (type === "DELETED") return matched || (previous === undefined && matches(object)) ? { type, object } : undefined;
  if (matches(object)) return { type: matched ? "MODIFIED" : "ADDED", object };
  if (!matched) return undefined;
  // The object no longer matches: the client receives its last matching state with the revision of the change.
  const { resourceVersion } = object.metadata;
  return { type: "DELETED", object: { ...previous, metadata: { ...previous.metadata, resourceVersion } } };
}

function startTimers(
  { clock, random }: ApiScope,
  { timeoutSeconds, allowBookmarks }: ListOptions,
  { bookmark, end }: { bookmark: () => void; end: () => void },
): () => void {
  const durationMs =
    timeoutSeconds === undefined
      ? minDurationMs + random.fraction() * (maxDurationMs - minDurationMs)
      : timeoutSeconds * 1000;
  const cancelEnd = clock.after(durationMs, end);
  if (!allowBookmarks) return cancelEnd;
  const cancelLast = durationMs > lastBookmarkMs ? clock.after(durationMs - lastBookmarkMs, bookmark) : () => {};
  let cancelNext = () => {};
  const again = () => {
    cancelNext = clock.after(bookmarkEveryMs, () => {
      bookmark();
      again();
    });
  };
  again();
  return () => {
    cancelEnd();
    cancelLast();
    cancelNext();
  };
}

function bookmarkView(next: (object: JsonObject) => JsonObject, object: JsonObject): JsonObject {
  const view = next(object);
  return view["kind"] === "Table" ? { ...view, rows: [] } : view;
}
