import type { Field } from "./fields.ts";
import type { LeafValue } from "./leaves.ts";
import { isSame } from "./leaves.ts";

/** A field that differs between two submissions, or that only one has. */
export interface FieldChange {
  readonly objectId: string;
  readonly kind: string;
  readonly path: string;
  /** `undefined` if the field is absent. */
  readonly old: LeafValue | undefined;
  readonly new: LeafValue | undefined;
  /** Whether only one side has the whole object. */
  readonly isEntireObject: boolean;
}

/** Compares two submissions. Changes are grouped by object, with each object's fields in their order. */
export function differenceOf(
  old: ReadonlyMap<string, Field>,
  changed: ReadonlyMap<string, Field>,
): readonly FieldChange[] {
  const [oldObjects, newObjects] = [objectsOf(old), objectsOf(changed)];
  const changes = [...new Set([...old.keys(), ...changed.keys()])].flatMap((id) => {
    const [before, after] = [old.get(id), changed.get(id)];
    const field = after ?? before;
    if (field === undefined || isSame(before?.value, after?.value)) return [];
    const { objectId, kind, path } = field;
    const isEntireObject = !oldObjects.has(objectId) || !newObjects.has(objectId);
    return [{ objectId, kind, path, old: before?.value, new: after?.value, isEntireObject }];
  });
  return [...new Set([...oldObjects, ...newObjects])].flatMap((objectId) =>
    changes.filter((change) => change.objectId === objectId),
  );
}

function objectsOf(fields: ReadonlyMap<string, Field>): ReadonlySet<string> {
  return new Set([...fields.values()].map(({ objectId }) => objectId));
}
