import type { KubeResource, Pod } from "../../kube/types.ts";

/**
 * Goes round the creation of a driver: what is staged for it, and is taken back when it throws. `create` gets the objects that the
 * driver's pod will own, now complete.
 */
export type Staging = (create: (resources: readonly KubeResource[]) => Promise<Pod>) => Promise<Pod>;
