import { type Controller, startReconciler } from "./controller.ts";

const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service " +
  "IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/**
 * Creates the service account `default` and the ConfigMap `kube-root-ca.crt` of every namespace, recreates them after
 * deletion, and restores the ConfigMap after a change.
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
      const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace } };
      store.create("serviceaccounts", account);
      const data = { "ca.crt": certificateAuthority };
      const metadata = { name, namespace, annotations: { "kubernetes.io/description": description } };
      const created = store.create("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata, data });
      // The authority of a restored cluster may be new.
      if (created === undefined) store.update("configmaps", namespace, name, (current) => ({ ...current, data }));
    };
    return startReconciler(api, {
      observe({ type, collection, object: { metadata } }, add) {
        if (type === "ADDED" && collection === "namespaces") createDefaults(metadata.name);
        const isDefault =
          (collection === "serviceaccounts" && metadata.name === "default") ||
          (collection === "configmaps" && metadata.name === name);
        const isLost = type === "DELETED" || (type === "MODIFIED" && collection === "configmaps");
        if (isLost && isDefault && metadata.namespace !== undefined) add(metadata.namespace);
      },
      work: createDefaults,
    });
  };
}
