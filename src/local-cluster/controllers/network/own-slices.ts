import type { ApiScope } from "../../api/call.ts";
import type { StoredObject } from "../../api/store.ts";
import { endpointSlices, sliceService } from "../../pods/service-targets.ts";

/** Label with the controller that maintains a slice. */
export const managedBy = "endpointslice.kubernetes.io/managed-by";

/** Returns the slices of a service that a controller maintains. */
export function ownSlices(
  { store }: ApiScope,
  component: string,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): readonly StoredObject[] {
  return store
    .list(endpointSlices, namespace)
    .filter(({ metadata }) => metadata.labels?.[sliceService] === name && metadata.labels[managedBy] === component);
}
