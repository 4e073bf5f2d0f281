import type { Pod } from "../../kube/types.ts";

/** State of the owners in a namespace, as far as it is known. */
export type NamespaceView =
  | { readonly kind: "pods"; readonly pods: readonly Pod[] }
  | { readonly kind: "gone" }
  /** The query failed, so the owners may still exist. */
  | { readonly kind: "unknown"; readonly reason: string }
  /** Owners are not watched: bundles depend only on time. */
  | { readonly kind: "unwatched" };

/** Source of the pods that own bundles. */
export interface Owners {
  /** Lists the pods of a namespace. `labelSelector`: selects all owners, if they share one. Never rejects. */
  readonly fetchView: (namespace: string, labelSelector: string | undefined) => Promise<NamespaceView>;
}
