import type { ApiScope } from "../api/call.ts";
import { acceptNames } from "../api/definitions/accepted-names.ts";
import {
  cleanupFinalizer,
  type Definition,
  definitionsCollection,
  hasCondition,
  isDefinition,
} from "../api/definitions/definition.ts";
import { isSame } from "../api/json.ts";
import { withCondition } from "../api/kinds/definition.ts";
import type { StoredObject } from "../api/store.ts";
import { timestamp } from "../api/timestamp.ts";
import { type Controller, deleteObject, dropFinalizer, startReconciler } from "./controller.ts";

type StoredDefinition = StoredObject & Definition;

/** Accepts the names of custom resource definitions, and deletes the custom resources of deleted ones. */
export const startDefinitions: Controller = (api) =>
  startReconciler(api, {
    observe({ type, collection, object }, add) {
      if (collection === definitionsCollection) {
        if (type !== "DELETED") add(object.metadata.name);
        // Its names, or those that it no longer has, are free now.
        for (const { metadata } of definitionsOf(api, groupOf(object))) {
          if (metadata.name !== object.metadata.name && !areAccepted(api, metadata.name)) add(metadata.name);
        }
      } else if (type === "DELETED" && isTerminating(findDefinition(api, collection))) add(collection);
    },
    work(name) {
      const definition = findDefinition(api, name);
      if (definition === undefined) return;
      if (isTerminating(definition)) cleanUp(api, definition);
      else establish(api, definition);
    },
  });

function groupOf(object: StoredObject): string {
  return isDefinition(object) ? object.spec.group : "";
}

function findDefinition({ store }: ApiScope, name: string): StoredDefinition | undefined {
  const object = store.get(definitionsCollection, undefined, name);
  return object !== undefined && isDefinition(object) ? object : undefined;
}

function definitionsOf({ store }: ApiScope, group: string): readonly StoredDefinition[] {
  return store.list(definitionsCollection).flatMap((object) => {
    return isDefinition(object) && object.spec.group === group ? [object] : [];
  });
}

function areAccepted(api: ApiScope, name: string): boolean {
  const definition = findDefinition(api, name);
  return definition !== undefined && isSame(definition.spec.names, definition.status?.acceptedNames);
}

function isTerminating(definition: StoredDefinition | undefined): boolean {
  const { deletionTimestamp, finalizers = [] } = definition?.metadata ?? {};
  return deletionTimestamp !== undefined && finalizers.includes(cleanupFinalizer);
}

/** Accepts the names of a definition; its kind is served when all of them are accepted. */
function establish(api: ApiScope, { metadata: { name } }: StoredDefinition): void {
  const lastTransitionTime = timestamp(api.clock.now());
  api.store.update(definitionsCollection, undefined, name, (current) => {
    if (!isDefinition(current) || isSame(current.spec.names, current.status?.acceptedNames)) return current;
    const { names, conflict } = acceptNames(current, definitionsOf(api, current.spec.group));
    const accepted = { type: "NamesAccepted", lastTransitionTime };
    const named = withCondition(
      current,
      conflict === undefined
        ? { ...accepted, status: "True", reason: "NoConflicts", message: "no conflicts found" }
        : { ...accepted, status: "False", ...conflict },
    );
    const established = { type: "Established", lastTransitionTime };
    const next = hasCondition(current, "Established")
      ? named
      : withCondition(
          named,
          conflict === undefined
            ? {
                ...{ ...established, status: "True", reason: "InitialNamesAccepted" },
                message: "the initial names have been accepted",
              }
            : { ...established, status: "False", reason: "NotAccepted", message: "not all names are accepted" },
        );
    return { ...next, status: { ...next.status, acceptedNames: names } };
  });
}

/** Deletes the custom resources of a definition; when none is left, the definition goes. */
function cleanUp(api: ApiScope, definition: StoredDefinition): void {
  const { name } = definition.metadata;
  const isEstablished = hasCondition(definition, "Established");
  for (const object of isEstablished ? api.store.list(name) : []) {
    if (object.metadata.deletionTimestamp === undefined) deleteObject(api, name, object);
  }
  if (isEstablished && api.store.list(name).length > 0) {
    setTerminating(api, name, {
      ...{ status: "True", reason: "InstanceDeletionInProgress", message: "CustomResource deletion is in progress" },
    });
    return;
  }
  setTerminating(
    api,
    name,
    isEstablished
      ? { status: "False", reason: "InstanceDeletionCompleted", message: "removed all instances" }
      : { status: "False", reason: "NeverEstablished", message: "resource was never established" },
  );
  dropFinalizer(api, definitionsCollection, definition, cleanupFinalizer);
}

function setTerminating(
  api: ApiScope,
  name: string,
  condition: { readonly status: string; readonly reason: string; readonly message: string },
): void {
  const lastTransitionTime = timestamp(api.clock.now());
  api.store.update(definitionsCollection, undefined, name, (current) =>
    isDefinition(current) ? withCondition(current, { type: "Terminating", ...condition, lastTransitionTime }) : current,
  );
}
