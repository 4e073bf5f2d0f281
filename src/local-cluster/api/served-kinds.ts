import { type CustomKinds, customKinds } from "./custom/custom-kinds.ts";
import { definitionsCollection, hasCondition, isDefinition } from "./definitions/definition.ts";
import { compareVersions } from "./definitions/versions.ts";
import type { Kind } from "./kinds/kind.ts";
import { findKind, kindOfCollection, kinds, kindsOfCollection } from "./kinds/table.ts";
import type { Store } from "./store.ts";

/** The kinds that an API serves now: those of the table, and those of established custom resource definitions. */
export interface ServedKinds {
  /** All kinds, in the order of discovery. */
  readonly all: () => readonly Kind[];
  /** API groups except the core group, in the order of discovery. */
  readonly groups: () => readonly string[];
  /** Versions of a group, the preferred one first; none for a group that is not served. */
  readonly versionsOf: (group: string) => readonly string[];
  /** Returns the kind with a plural in a group and version. */
  readonly find: (group: string, version: string, plural: string) => Kind | undefined;
  /** Returns the kind of a collection's objects, in the stored version. */
  readonly ofCollection: (collection: string) => Kind | undefined;
  /** Returns the kinds whose objects a collection stores, one for each served version. */
  readonly allOfCollection: (collection: string) => readonly Kind[];
}

/** API groups of the table of kinds, except the core group. */
export const tableGroups: readonly string[] = groupsOf(kinds);

function groupsOf(all: readonly Kind[]): readonly string[] {
  return [...new Set(all.map(({ group }) => group))].filter((group) => group !== "");
}

/** The kinds of the definitions, and what is derived from them until the next change. */
interface ServedState {
  /** Custom kinds by their definition's name, which is the name of their collection. */
  readonly custom: Map<string, CustomKinds>;
  all: readonly Kind[];
  groups: readonly string[];
}

/** Serves the kinds of the table and those of the definitions in a store, which take effect when they are stored. */
export function serveKinds(store: Pick<Store, "follow">): ServedKinds {
  const state: ServedState = { custom: new Map(), all: kinds, groups: tableGroups };
  store.follow(({ type, collection, object }) => {
    if (collection !== definitionsCollection) return;
    const { name } = object.metadata;
    if (type === "DELETED") state.custom.delete(name);
    else if (isDefinition(object) && hasCondition(object, "Established")) state.custom.set(name, customKinds(object));
    else state.custom.delete(name);
    update(state);
  });
  return servedKinds(state);
}

function update(state: ServedState): void {
  const custom = [...state.custom]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, { served }]) => served)
    // The kinds of the table take precedence.
    .filter(({ group, version, plural }) => findKind(group, version, plural) === undefined);
  state.all = [...kinds, ...custom];
  const others = groupsOf(custom).filter((group) => !tableGroups.includes(group));
  state.groups = [...tableGroups, ...[...others].sort()];
}

function servedKinds(state: ServedState): ServedKinds {
  return {
    all: () => state.all,
    groups: () => state.groups,
    versionsOf(group) {
      const versions = state.all.filter((kind) => kind.group === group).map(({ version }) => version);
      return [...new Set(versions)].sort(compareVersions);
    },
    find(group, version, plural) {
      const known = findKind(group, version, plural);
      if (known !== undefined || state.custom.size === 0) return known;
      return state.custom.get(`${plural}.${group}`)?.served.find((kind) => kind.version === version);
    },
    ofCollection: (collection) => kindOfCollection(collection) ?? state.custom.get(collection)?.stored,
    allOfCollection: (collection) => state.custom.get(collection)?.served ?? kindsOfCollection(collection),
  };
}
