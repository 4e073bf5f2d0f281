import type { Kind } from "./kind.ts";
import { findKind, kindOfCollection, kinds } from "./table.ts";

/** The kinds that an API serves now. */
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
}

/** API groups of the table of kinds, except the core group. */
export const tableGroups: readonly string[] = groupsOf(kinds);

function groupsOf(all: readonly Kind[]): readonly string[] {
  return [...new Set(all.map(({ group }) => group))].filter((group) => group !== "");
}

/** The kinds of the table. */
export const tableKinds: ServedKinds = {
  all: () => kinds,
  groups: () => tableGroups,
  versionsOf: (group) => [...new Set(kinds.filter((kind) => kind.group === group).map(({ version }) => version))],
  find: findKind,
  ofCollection: kindOfCollection,
};
