import { type Controller, workQueue } from "./controller.ts";

const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service " +
  "IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/**
 * Gives every namespace its service account `default` and its ConfigMap `kube-root-ca.crt`, and gives them again when they go.
 *
 * @param certificateAuthority PEM
 */
export function startNamespaceDefaults(certificateAuthority: string): Controller {
  return (api) => {
    const { store } = api;
    const name = "kube-root-ca.crt";
    const furnish = (namespace: string) => {
      const home = store.get("namespaces", undefined, namespace);
      if (home === undefined || home.metadata.deletionTimestamp !== undefined) return;
      store.create("serviceaccounts", {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "default", namespace },
      });
      const data = { "ca.crt": certificateAuthority };
      const metadata = { name, namespace, annotations: { "kubernetes.io/description": description } };
      const created = store.create("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata, data });
      // The authority may be a newer one.
      if (created === undefined)
        store.update("configmaps", namespace, name, (current) => ({ ...current, data }));
    };
    const queue = workQueue(api, furnish);
    const stopListening = store.follow(({ type, collection, object }) => {
      const { namespace } = object.metadata;
      if (type === "ADDED" && collection === "namespaces") furnish(object.metadata.name);
      const isFurniture =
        (collection === "serviceaccounts" && object.metadata.name === "default") ||
        (collection === "configmaps" && object.metadata.name === name);
      if (type === "DELETED" && isFurniture && namespace !== undefined) queue.add(namespace);
    });
    return () => {
      stopListening();
      queue.stop();
    };
  };
}
