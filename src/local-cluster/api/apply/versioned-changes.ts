import { isObject, type JsonObject } from "../json.ts";
import { apiVersionOf, decodeAs, type Kind } from "../kinds/kind.ts";
import type { ServedKinds } from "../served-kinds.ts";
import { shapeOf } from "./custom-shape.ts";
import { emptySet, type FieldSet } from "./field-set.ts";
import { type Changes, compare, prune } from "./typed-value.ts";

/** Converts a stored object to the version of a kind. */
export function inVersionOf({ conversion }: Kind, stored: JsonObject): JsonObject {
  return conversion?.fromStored(stored) ?? stored;
}

/** Converts an object in the version of a kind to the version in which it is stored. @throws DecodeError */
export function inStoredVersion(kind: Kind, object: JsonObject): JsonObject {
  return kind.conversion?.toStored(decodeAs(kind, object).object) ?? object;
}

/** Two states of an object in its stored version. */
interface States {
  readonly old: JsonObject | undefined;
  readonly next: JsonObject;
  /** Returns the fields of a set that the request can write. */
  readonly ownable: (set: FieldSet) => FieldSet;
}

/** Returns a kind in another version, or itself if that is not served. The versions of a custom resource name all fields alike. */
function kindIn(kinds: ServedKinds, kind: Kind, apiVersion: string): Kind {
  const versions = kind.custom === undefined ? kinds.allOfCollection(kind.collection) : [];
  return versions.find((candidate) => apiVersionOf(candidate) === apiVersion) ?? kind;
}

/** Compares what a request can write of an object in the version of each manager of its fields: versions may name a field differently. */
export function versionedChanges(
  kinds: ServedKinds,
  kind: Kind,
  { old, next, ownable }: States,
): (apiVersion: string) => Changes {
  const known = new Map<Kind, Changes>();
  return (apiVersion) => {
    const version = kindIn(kinds, kind, apiVersion);
    const found = known.get(version);
    if (found !== undefined) return found;
    const before = old === undefined ? blank(version) : inVersionOf(version, old);
    const { written, removed } = compare(before, inVersionOf(version, next), shapeOf(version));
    const changes = { written: ownable(written), removed: ownable(removed) };
    known.set(version, changes);
    return changes;
  };
}

/** The fields that a manager applied last, and those that others own or that it applies now. */
interface AppliedFields {
  readonly last: { readonly apiVersion: string; readonly fields: FieldSet };
  readonly owned: FieldSet;
}

/** Removes the fields of an object that its manager no longer applies, in the version in which it applied them. */
export function pruneApplied(kinds: ServedKinds, kind: Kind, merged: unknown, { last, owned }: AppliedFields): unknown {
  const version = kindIn(kinds, kind, last.apiVersion);
  if (version === kind || !isObject(merged)) return prune(merged, { last: last.fields, owned }, shapeOf(kind));
  const earlier = inVersionOf(version, inStoredVersion(kind, merged));
  const pruned = prune(earlier, { last: last.fields, owned: emptySet }, shapeOf(version));
  const kept = isObject(pruned) ? inVersionOf(kind, inStoredVersion(version, pruned)) : {};
  const { removed } = compare(merged, kept, shapeOf(kind));
  return prune(merged, { last: removed, owned }, shapeOf(kind));
}

/** Returns an object without fields, which new objects are compared with. */
function blank(kind: Kind): JsonObject {
  return kind.custom === undefined ? decodeAs(kind, {}).object : { metadata: {} };
}
