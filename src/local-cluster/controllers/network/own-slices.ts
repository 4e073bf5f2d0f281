import type { ApiScope } from "../../api/call.ts";
import type { StoredObject } from "../../api/store.ts";

/** Collection of EndpointSlices. */
export const slices = "endpointslices.discovery.k8s.io";

/** Label with the controller that maintains a slice. */
export const managedBy = "endpointslice.kubernetes.io/managed-by";

/** Label with the service of a slice. */
export const serviceName = "kubernetes.io/service-name";

/** Returns the slices of a service that a controller maintains. */
export function ownSlices(
  { store }: ApiScope,
  component: string,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): readonly StoredObject[] {
  return store
    .list(slices, namespace)
    .filter(({ metadata }) => metadata.labels?.[serviceName] === name && metadata.labels[managedBy] === component);
}
