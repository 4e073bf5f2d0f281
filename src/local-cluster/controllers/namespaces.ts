import { kinds } from "../api/kinds/table.ts";
import { type Controller, deleteObject, workQueue } from "./controller.ts";

/** Namespaces that every cluster has. */
export const firstNamespaces: readonly string[] = [
  "default",
  "kube-system",
  "kube-public",
  "kube-node-lease",
];

/** A namespace is emptied a little after its end was asked for: what is under way in it may still finish. */
const delayMs = 1_000;

const contents = new Set(
  kinds
    .filter(({ namespaced, verbs }) => namespaced && verbs.includes("delete"))
    .map(({ collection }) => collection),
);

/** Empties namespaces that are to end, and ends them when nothing is left in them. */
export const startNamespaceTermination: Controller = (api) => {
  const queue = workQueue(api, (name) => {
    const namespace = api.store.get("namespaces", undefined, name);
    if (namespace === undefined || namespace.metadata.deletionTimestamp === undefined) return;
    let isEmpty = true;
    for (const collection of contents) {
      for (const object of api.store.list(collection, name)) {
        if (object.metadata.deletionTimestamp === undefined) deleteObject(api, collection, object);
        isEmpty &&= api.store.get(collection, name, object.metadata.name) === undefined;
      }
    }
    if (isEmpty && (namespace.metadata.finalizers ?? []).length === 0)
      api.store.remove("namespaces", undefined, name);
  });
  const stopListening = api.store.follow(({ type, collection, object }) => {
    const { namespace, name, deletionTimestamp } = object.metadata;
    if (collection === "namespaces" && deletionTimestamp !== undefined) queue.add(name, delayMs);
    if (type !== "DELETED" || namespace === undefined) return;
    const home = api.store.get("namespaces", undefined, namespace);
    if (home?.metadata.deletionTimestamp !== undefined) queue.add(namespace, 0);
  });
  return () => {
    stopListening();
    queue.stop();
  };
};
