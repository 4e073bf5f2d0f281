import type { Pod } from "../kube/types.ts";

/** Objects in a namespace, as far as they could be listed. */
export type NamespaceView =
  | { readonly kind: "pods"; readonly pods: readonly Pod[] }
  | { readonly kind: "gone" }
  /** Nothing is known, so nothing may be concluded. */
  | { readonly kind: "unknown"; readonly reason: string }
  /** Owners are nobody's business here: only time counts. */
  | { readonly kind: "unwatched" };

/** Source of the pods that own bundles. */
export interface Owners {
  /** @param labelSelector of all owners, if they have one in common. Never rejects. */
  readonly look: (namespace: string, labelSelector: string | undefined) => Promise<NamespaceView>;
}
