import { kinds } from "../api/kinds/table.ts";
import { type Controller, deleteObject, startReconciler } from "./controller.ts";

/** Initial namespaces of every cluster. */
export const initialNamespaces: readonly string[] = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Delay before a terminating namespace is emptied: requests in progress may still finish. */
const delayMs = 1_000;

const contents = new Set(
  kinds.filter(({ namespaced, verbs }) => namespaced && verbs.includes("delete")).map(({ collection }) => collection),
);

/** Empties terminating namespaces and deletes them when nothing is left. */
export const startNamespaceTermination: Controller = (api) =>
  startReconciler(api, {
    observe({ type, collection, object }, add) {
      const { namespace, name, deletionTimestamp } = object.metadata;
      if (collection === "namespaces" && deletionTimestamp !== undefined) add(name, delayMs);
      if (type !== "DELETED" || namespace === undefined) return;
      const parent = api.store.get("namespaces", undefined, namespace);
      if (parent?.metadata.deletionTimestamp !== undefined) add(namespace);
    },
    work(name) {
      const namespace = api.store.get("namespaces", undefined, name);
      if (namespace?.metadata.deletionTimestamp === undefined) return;
      let isEmpty = true;
      for (const collection of contents) {
        for (const object of api.store.list(collection, name)) {
          if (object.metadata.deletionTimestamp === undefined) deleteObject(api, collection, object);
          isEmpty &&= api.store.get(collection, name, object.metadata.name) === undefined;
        }
      }
      const { finalizers = [] } = namespace.metadata;
      if (isEmpty && finalizers.length === 0) api.store.remove("namespaces", undefined, name);
    },
  });
