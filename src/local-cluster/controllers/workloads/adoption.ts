import type { ApiScope } from "../../api/call.ts";
import type { StoredObject } from "../../api/store.ts";
import { controllerOf, isTerminating, ownedBy, ownObjects, type PodSet, selectorOfSet } from "./pods.ts";

/** Options of claiming objects. */
interface ClaimOptions {
  readonly collection: string;
  /** Further condition for adoption and ownership, besides the selector. */
  readonly isMember?: (object: StoredObject) => boolean;
  /** Whether objects in this state are adopted and released. @default all */
  readonly isEligible?: (object: StoredObject) => boolean;
  /** Finalizer that adopted objects get and released objects lose. */
  readonly finalizer?: string;
}

/**
 * Adopts the objects without a controller that a set's selector matches, and releases its objects that no longer match.
 *
 * Source: Kubernetes 1.35, ControllerRefManager.
 *
 * @returns the objects that the set controls now
 */
export function claimObjects(api: ApiScope, set: PodSet, options: ClaimOptions): readonly StoredObject[] {
  const { collection, isMember = () => true, isEligible = () => true } = options;
  const selects = selectorOfSet(set);
  const isMatch = (object: StoredObject) => selects(object) && isMember(object);
  for (const object of isTerminating(set) ? [] : api.store.list(collection, set.metadata.namespace)) {
    const owner = controllerOf(object);
    if (!isEligible(object)) continue;
    if (owner?.uid === set.metadata.uid && !isMatch(object)) release(api, set, { ...options, object });
    if (owner === undefined && isMatch(object) && !isTerminating(object)) adopt(api, set, { ...options, object });
  }
  return ownObjects(api.store, collection, set).filter(isMatch);
}

type ClaimedObject = Pick<ClaimOptions, "collection" | "finalizer"> & { readonly object: StoredObject };

function adopt({ store }: ApiScope, set: PodSet, { collection, object, finalizer }: ClaimedObject): void {
  const { namespace, name, ownerReferences = [], finalizers = [] } = object.metadata;
  const owners = ownerReferences.filter(({ uid }) => uid !== set.metadata.uid);
  const isNew = finalizer !== undefined && !finalizers.includes(finalizer);
  const all = {
    ownerReferences: [...owners, ...ownedBy(set)],
    ...(isNew && { finalizers: [...finalizers, finalizer] }),
  };
  store.update(collection, namespace, name, (current) => ({ ...current, metadata: { ...current.metadata, ...all } }));
}

function release({ store }: ApiScope, set: PodSet, { collection, object, finalizer }: ClaimedObject): void {
  const { namespace, name } = object.metadata;
  store.update(collection, namespace, name, (current) => {
    const { ownerReferences = [], finalizers = [], ...metadata } = current.metadata;
    const owners = ownerReferences.filter(({ uid }) => uid !== set.metadata.uid);
    const rest = finalizers.filter((other) => other !== finalizer);
    return {
      ...current,
      metadata: {
        ...metadata,
        ...(owners.length > 0 && { ownerReferences: owners }),
        ...(rest.length > 0 && { finalizers: rest }),
      },
    };
  });
}
