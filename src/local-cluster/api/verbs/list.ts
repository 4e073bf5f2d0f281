import type { Action, ApiScope, Call } from "../call.ts";
import type { JsonObject } from "../json.ts";
import { expired, tooLargeRevision } from "../status.ts";
import type { Store, StoredObject } from "../store.ts";
import { type ListOptions, listOptions, printContinuation } from "./list-options.ts";

/** Lists a collection. */
export const list: Action = (api, call) => {
  const options = listOptions(call, { isWatch: false });
  const { objects, revision, time } = snapshot(api, call, options);
  const start = options.continuation?.start ?? "";
  const rest = objects.filter((object) => keyOf(object) >= start);
  const found = rest.filter((object) => options.selection.matches(object));
  const limit = options.revision === 0 ? undefined : options.limit;
  const items = limit === undefined ? found : found.slice(0, limit);
  const last = items.at(-1);
  // As in Kubernetes, later objects are not matched here: the next page may be empty.
  const more =
    last === undefined || items.length < (limit ?? Number.POSITIVE_INFINITY) ? 0 : rest.length - 1 - rest.indexOf(last);
  const next: JsonObject =
    more === 0 || last === undefined
      ? {}
      : {
          continue: printContinuation({ revision, start: `${keyOf(last)}\0`, time }),
          ...(options.selection.isSelective ? {} : { remainingItemCount: more }),
        };
  return { type: "list", items, metadata: { resourceVersion: String(revision), ...next } };
};

/** Returns the sort key of an object in a list. */
function keyOf({ metadata }: StoredObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

/** Revision in a continue token that means the newest revision. */
const newest = -1;

const forgottenPage =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue " +
  "parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided " +
  "token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was " +
  "returned and now may show up in the list.";

/** Time for the pages of a list: the interval at which kube-apiserver compacts its database. */
const pagesMs = 300_000;

/** Returns a collection at the requested revision, or the current one, and the time of its first page. @throws StatusError 410, 504 */
function snapshot(
  { store, clock }: Pick<ApiScope, "store" | "clock">,
  { kind, namespace }: Call,
  options: ListOptions,
) {
  const now = clock.now();
  const current = store.revision();
  const objects = store.list(kind.collection, namespace);
  const { continuation, revision = 0, isExact } = options;
  const requested = continuation?.revision ?? (isExact ? revision : undefined);
  const last = Math.max(revision, requested ?? 0);
  if (last > current) throw tooLargeRevision(last, current);
  // As in Kubernetes, every negative revision means the newest.
  if (requested === undefined || requested <= newest) return { objects, revision: current, time: now };
  const time = continuation?.time ?? now;
  const past =
    now - time > pagesMs ? undefined : asOf(store, { collection: kind.collection, namespace, revision: requested });
  if (past !== undefined) return { objects: past, revision: requested, time };
  if (continuation === undefined) throw expired("The resourceVersion for the provided list is too old.");
  throw expired(forgottenPage, printContinuation({ revision: newest, start: continuation.start }));
}

/** Returns a collection at an earlier revision by undoing events; `undefined` if they are no longer stored. */
function asOf(
  store: Store,
  { collection, namespace, revision }: { collection: string; namespace: string | undefined; revision: number },
): readonly StoredObject[] | undefined {
  const events = store.since(revision);
  if (events === undefined) return undefined;
  if (events.length === 0) return store.list(collection, namespace);
  const objects = new Map(store.list(collection, namespace).map((object) => [keyOf(object), object]));
  for (const { object, previous, collection: changed } of events.toReversed()) {
    if (changed !== collection || (namespace !== undefined && object.metadata.namespace !== namespace)) continue;
    if (previous === undefined) objects.delete(keyOf(object));
    else objects.set(keyOf(object), previous);
  }
  return [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
}
