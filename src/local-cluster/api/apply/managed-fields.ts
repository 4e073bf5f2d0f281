import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.d.ts";
import type { ApiScope, Call } from "../call.ts";
import { isArray, isObject } from "../json.ts";
import { apiVersionOf, writesStatus } from "../kinds/kind.ts";
import type { Draft } from "../object.ts";
import { applyConflict } from "../status.ts";
import { timestamp } from "../timestamp.ts";
import {
  difference,
  emptySet,
  type FieldSet,
  FieldSetError,
  intersection,
  isEmptySet,
  isSameSet,
  parseFieldSet,
  printFieldSet,
  printPaths,
  union,
  withoutFields,
} from "./field-set.ts";
import { versionedChanges } from "./versioned-changes.ts";

/** The fields that one manager owns. A manager is identified by name, operation, version and subresource. */
export interface FieldManager {
  readonly name: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string;
  readonly fields: FieldSet;
}

const serverFields = [
  ["apiVersion"],
  ["kind"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((field) => ["metadata", field]),
];

/** Returns a set without fields that the server owns or that this request cannot write. */
export function ownable(set: FieldSet, { kind, subresource }: Pick<Call, "kind" | "subresource">): FieldSet {
  const root = withoutFields(set, [...serverFields, ...(kind.rules.resetFields?.[subresource ?? ""] ?? [])]);
  if (kind.rules.hasStatus !== true) return root;
  const others = writesStatus(kind, subresource) ? [["spec"], ["metadata", "ownerReferences"]] : [["status"]];
  return withoutFields(root, others);
}

/** Parses an object's managedFields; none if they are invalid, as in Kubernetes. */
export function readManagers(object: Draft | undefined): readonly FieldManager[] {
  return parseEntries(object) ?? [];
}

/** Parses an object's managedFields; of equal managers, the last one counts. `undefined` if an entry is invalid. */
function parseEntries(object: Draft | undefined): readonly FieldManager[] | undefined {
  try {
    const entries = (object?.metadata.managedFields ?? []).map((entry) => parseEntry(entry));
    return [...new Map(entries.map((manager) => [identityOf(manager), manager])).values()];
  } catch (error) {
    if (error instanceof FieldSetError) return undefined;
    throw error;
  }
}

function parseEntry(entry: ManagedFieldsEntry): FieldManager {
  const { manager = "", operation, apiVersion = "", subresource = "", time = "", fieldsType, fieldsV1 } = entry;
  if ((operation !== "Apply" && operation !== "Update") || apiVersion === "" || fieldsType !== "FieldsV1") {
    throw new FieldSetError("invalid operation, apiVersion or fieldsType");
  }
  return { name: manager, operation, apiVersion, subresource, time, fields: parseFieldSet(fieldsV1) };
}

/** Returns a text that is equal for equal managers, and sorts them as Kubernetes does. */
function identityOf({ name, operation, apiVersion, subresource }: Omit<FieldManager, "time" | "fields">): string {
  const part = subresource === "" ? {} : { subresource };
  // The version that an applied configuration has does not distinguish managers.
  return JSON.stringify({ manager: name, operation, ...(operation === "Apply" ? {} : { apiVersion }), ...part });
}

/** Sets an object's managedFields; entries of server-side apply come first. */
export function writeManagers(object: Draft, managers: readonly FieldManager[]): void {
  const entries = managers
    .filter(({ fields }) => !isEmptySet(fields))
    .sort(compareManagers)
    .map(({ name, operation, apiVersion, subresource, time, fields }) => ({
      manager: name,
      operation,
      apiVersion,
      ...(time === "" ? {} : { time }),
      fieldsType: "FieldsV1",
      fieldsV1: printFieldSet(fields),
      ...(subresource === "" ? {} : { subresource }),
    }));
  if (entries.length === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
}

/** Source: structured-merge-diff, sortEncodedManagedFields. */
function compareManagers(a: FieldManager, b: FieldManager): number {
  const properties = ["operation", "time", "name", "apiVersion", "subresource"] as const;
  return properties.reduce((order, property) => order || compareText(a[property], b[property]), 0);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function isSameOwner(a: FieldManager, b: Omit<FieldManager, "time" | "fields">): boolean {
  return identityOf(a) === identityOf(b);
}

/** Returns the manager of a request: its `fieldManager`, or the program name in its User-Agent. */
function managerName({ userAgent }: Pick<Call, "userAgent">, fieldManager: string | undefined): string {
  return (fieldManager ?? userAgent.split("/", 1)[0] ?? "").slice(0, 128) || "unknown";
}

/** Updates managedFields after a write without apply: the writer owns what it changed, and removed fields have no owner. */
export function recordUpdate(
  { clock, kinds }: ApiScope,
  call: Call,
  { next, old, manager }: { next: Draft; old: Draft | undefined; manager: string | undefined },
): void {
  const { kind, subresource = "" } = call;
  if (isReset(next.metadata.managedFields) || (old !== undefined && !hasManagers(old))) {
    delete next.metadata.managedFields;
    return;
  }
  // A client may change managedFields, but not by a subresource. Invalid ones are ignored.
  const sent = (subresource === "" ? parseEntries(next) : undefined) ?? [];
  const base = old === undefined ? [] : sent.length > 0 ? sent : readManagers(old);
  const changesOf = versionedChanges(kinds, kind, { old, next, ownable: (set) => ownable(set, call) });
  const own = {
    name: managerName(call, manager),
    operation: "Update",
    apiVersion: apiVersionOf(kind),
    subresource,
  } as const;
  const changed = changesOf(own.apiVersion).written;
  const others = base.map((other) => {
    const { written, removed } = changesOf(other.apiVersion);
    const taken = isSameOwner(other, own) ? other.fields : difference(other.fields, written);
    return { ...other, fields: difference(taken, removed) };
  });
  const current = others.find((other) => isSameOwner(other, own));
  const fields = union(current?.fields ?? parseFieldSet(undefined), changed);
  const isUnchanged = current !== undefined && isSameSet(current.fields, fields) && isEmptySet(changed);
  const time = isUnchanged ? current.time : timestamp(clock.now());
  const managers = [...others.filter((other) => !isSameOwner(other, own)), { ...own, fields, time }];
  writeManagers(next, withMergedUpdates(managers.filter((manager) => !isEmptySet(manager.fields))));
}

/** Maximum number of managers that updated an object. Source: Kubernetes 1.35, DefaultMaxUpdateManagers. */
const maxUpdateManagers = 10;

/** Merges the oldest managers that updated an object, by version, if there are too many. */
function withMergedUpdates(managers: readonly FieldManager[]): readonly FieldManager[] {
  const updates = managers.filter(({ operation }) => operation === "Update");
  if (updates.length <= maxUpdateManagers) return managers;
  const kept = new Map(managers.map((manager) => [identityOf(manager), manager]));
  const sorted = [...updates].sort((a, b) => compareText(a.time, b.time) || compareText(identityOf(a), identityOf(b)));
  const first = new Map<string, FieldManager>();
  for (const manager of sorted) {
    const oldest = first.get(manager.apiVersion);
    if (oldest === undefined) {
      first.set(manager.apiVersion, manager);
      continue;
    }
    const merged = { ...manager, name: "ancient-changes", subresource: "" };
    const id = identityOf(merged);
    if (!kept.has(id)) {
      kept.delete(identityOf(oldest));
      kept.set(id, { ...merged, fields: oldest.fields });
    }
    kept.delete(identityOf(manager));
    kept.set(id, { ...merged, fields: union(kept.get(id)?.fields ?? emptySet, manager.fields) });
    if (kept.size === managers.length - updates.length + maxUpdateManagers) break;
  }
  return [...kept.values()];
}

/** Whether an object has managers. Objects without any, such as those that a client has reset, get them when they are applied. */
function hasManagers({ metadata: { managedFields = [] } }: Draft): boolean {
  return managedFields.length > 0;
}

/** Whether a client resets managedFields by writing `[{}]`. */
function isReset(entries: unknown): boolean {
  return isArray(entries) && entries.length === 1 && isObject(entries[0]) && Object.keys(entries[0]).length === 0;
}

/**
 * Removes the fields that a manager changes from all others. `writtenIn` returns these fields in an API version.
 *
 * @throws StatusError 409 with every conflict, unless `force` is set
 */
export function takeOver(
  others: readonly FieldManager[],
  writtenIn: (apiVersion: string) => FieldSet,
  { force }: { force: boolean },
): readonly FieldManager[] {
  const conflicts = others
    .map((manager) => ({ manager, fields: intersection(manager.fields, writtenIn(manager.apiVersion)) }))
    .filter(({ fields }) => !isEmptySet(fields));
  if (conflicts.length > 0 && !force) throw conflictOf(conflicts);
  return others.map((other) => ({ ...other, fields: difference(other.fields, writtenIn(other.apiVersion)) }));
}

function conflictOf(conflicts: readonly { manager: FieldManager; fields: FieldSet }[]) {
  const sorted = [...conflicts].sort((a, b) => compareText(a.manager.name, b.manager.name));
  const causes = sorted.flatMap(({ manager, fields }) =>
    printPaths(fields).map((field) => ({ message: `conflict with ${printOwner(manager)}`, field })),
  );
  const [only] = causes;
  if (causes.length === 1 && only !== undefined) {
    return applyConflict(`Apply failed with 1 conflict: ${only.message}: ${only.field}`, causes);
  }
  const groups = sorted.map(({ manager, fields }) =>
    [`conflicts with ${printOwner(manager)}:`, ...printPaths(fields).map((field) => `- ${field}`)].join("\n"),
  );
  return applyConflict(`Apply failed with ${causes.length} conflicts: ${groups.join("\n")}`, causes);
}

function printOwner({ name, operation, apiVersion, subresource }: FieldManager): string {
  const part = subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(name)}${part}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}
