import { type Controller, workQueue } from "./controller.ts";

const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service " +
  "IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/**
 * Gives every namespace its service account `default` and its ConfigMap `kube-root-ca.crt`, and gives them again when they go.
 *
 * @param certificateAuthority PEM
 */
export function startNamespaceHousehold(certificateAuthority: string): Controller {
  return (api) => {
    const { store } = api;
    const furnish = (namespace: string) => {
      const home = store.get("namespaces", undefined, namespace);
      if (home === undefined || home.metadata.deletionTimestamp !== undefined) return;
      store.create("serviceaccounts", {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "default", namespace },
      });
      store.create("configmaps", {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: {
          name: "kube-root-ca.crt",
          namespace,
          annotations: { "kubernetes.io/description": description },
        },
        data: { "ca.crt": certificateAuthority },
      });
    };
    const queue = workQueue(api, furnish);
    const stopListening = store.subscribe(({ type, collection, object }) => {
      const { name, namespace } = object.metadata;
      if (type === "ADDED" && collection === "namespaces") furnish(name);
      const isFurniture =
        (collection === "serviceaccounts" && name === "default") ||
        (collection === "configmaps" && name === "kube-root-ca.crt");
      if (type === "DELETED" && isFurniture && namespace !== undefined) queue.add(namespace);
    });
    return () => {
      stopListening();
      queue.stop();
    };
  };
}
