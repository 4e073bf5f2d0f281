import type { Action, ApiScope, Call } from "../call.ts";
import { definitionsCollection } from "../definitions/definition.ts";
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

/** Maximum number of waiting events; a slower client is dropped. The history has their objects anyway. */
const backlogLimit = 5_000;

type EventType = StoreEvent["type"] | "BOOKMARK" | "ERROR";

interface WatchEvent {
  readonly type: EventType;
  readonly object: JsonObject;
}

/** Watches a collection: one event per chunk until the client or the timeout ends it. */
export const watch: Action = (api, call) => {
  if (call.representation.media === "yaml") throw streamNotAcceptable();
  const options = listOptions(call, { isWatch: true });
  const queue = eventQueue({ limit: backlogLimit, print: eventPrinter(api, call) });
  const start = startOf(api, call, options);
  if (start.type === "expired") {
    const message = `too old resource version: ${options.revision} (${api.store.revision()})`;
    queue.push({ type: "ERROR", object: expired(message).status });
    queue.end();
    return stream(queue, call);
  }
  const first = firstEvents(api, call, { start, options });
  const stopListening = api.store.subscribe((event) => {
    const change = changeFor(event, call, options.selection);
    if (change !== undefined) queue.push(change);
    else if (event.collection === definitionsCollection && !isServed(api, call)) queue.end();
  });
  const bookmark = () => queue.push(bookmarkAt(api.store.revision(), call));
  const stopTimers = startTimers(api, options, { bookmark, end: queue.end });
  api.streams.add(queue.end);
  queue.onClose(() => {
    api.streams.delete(queue.end);
    stopListening();
    stopTimers();
  });
  return stream(queue, call, first);
};

function stream(queue: ReturnType<typeof eventQueue<WatchEvent>>, { signal }: Call, first?: Iterable<WatchEvent>) {
  const chunks = queue.chunks(signal, first);
  return { type: "stream", contentType: "application/json", chunks, onDrop: queue.onDrop } as const;
}

/** Whether the kind of a watch is still served: that of a custom resource goes with its definition. */
function isServed({ kinds }: ApiScope, { kind: { group, version, plural } }: Call): boolean {
  return kinds.find(group, version, plural) !== undefined;
}

/** Returns a function that prints the events of a watch in the requested view. */
function eventPrinter({ clock }: ApiScope, call: Call): (event: WatchEvent) => Uint8Array {
  const show = viewer({ ...call, now: clock.now });
  const isPlain = call.representation.view === "object";
  return ({ type, object }) => {
    if (type === "ERROR" || (type === "BOOKMARK" && isPlain)) return eventLine(type, object);
    return eventLine(type, type === "BOOKMARK" ? bookmarkView(show.next, object) : show.next(object));
  };
}

function bookmarkAt(revision: number, { kind }: Call, annotations?: JsonObject): WatchEvent {
  const metadata = { resourceVersion: String(revision), ...(annotations === undefined ? {} : { annotations }) };
  return { type: "BOOKMARK", object: { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata } };
}

/** Returns the events that precede changes. Yields them one by one, so that a long list is not printed at once. */
function firstEvents(
  { store }: ApiScope,
  call: Call,
  { start, options }: { readonly start: Start & { readonly type: "events" }; readonly options: ListOptions },
): Iterable<WatchEvent> {
  const revision = store.revision();
  const changes = start.missed.flatMap((event) => changeFor(event, call, options.selection) ?? []);
  return (function* () {
    for (const object of start.initial) yield { type: "ADDED", object };
    if (start.marksEnd) yield bookmarkAt(revision, call, { "k8s.io/initial-events-end": "true" });
    yield* changes;
  })();
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
  { type, object, previous, collection }: StoreEvent,
  { kind, namespace }: Pick<Call, "kind" | "namespace">,
  { matches }: Selection,
): { type: StoreEvent["type"]; object: StoredObject } | undefined {
  if (collection !== kind.collection) return undefined;
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
