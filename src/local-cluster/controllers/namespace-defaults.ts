import { type Controller, workQueue } from "./controller.ts";

const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service " +
  "IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/**
 * Creates the service account `default` and the ConfigMap `kube-root-ca.crt` of every namespace, and recreates them after
 * deletion.
 *
 * @param certificateAuthority PEM
 */
export function startNamespaceDefaults(certificateAuthority: string): Controller {
  return (api) => {
    const { store } = api;
    const name = "kube-root-ca.crt";
    const createDefaults = (namespace: string) => {
      const parent = store.get("namespaces", undefined, namespace);
      if (parent === undefined || parent.metadata.deletionTimestamp !== undefined) return;
      store.create("serviceaccounts", {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "default", namespace },
      });
      const data = { "ca.crt": certificateAuthority };
      const metadata = { name, namespace, annotations: { "kubernetes.io/description": description } };
      const created = store.create("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata, data });
      // The authority of a restored cluster may be new.
      if (created === undefined) store.update("configmaps", namespace, name, (current) => ({ ...current, data }));
    };
    const queue = workQueue(api, createDefaults);
    const stopListening = store.follow(({ type, collection, object }) => {
      const { namespace } = object.metadata;
      if (type === "ADDED" && collection === "namespaces") createDefaults(object.metadata.name);
      const isDefault =
        (collection === "serviceaccounts" && object.metadata.name === "default") ||
        (collection === "configmaps" && object.metadata.name === name);
      if (type === "DELETED" && isDefault && namespace !== undefined) queue.add(namespace);
    });
    return () => {
      stopListening();
      queue.stop();
    };
  };
}
