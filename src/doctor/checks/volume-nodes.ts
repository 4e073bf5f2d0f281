import type { NodeSelector } from "kubernetes-types/core/v1.d.ts";
import { selectsNode } from "../../kube/node-requirements.ts";
import type { KubeResource, PodSpec } from "../../kube/types.ts";
import { isFields } from "../../values/fields.ts";

/** Volumes by the name of the claim that is bound to them. */
export type ClaimedVolumes = ReadonlyMap<string, KubeResource>;

/** Lists the claims of a pod whose volumes a node cannot use, as those of another zone. */
export function unreachableClaims(
  { volumes = [] }: PodSpec,
  node: KubeResource,
  claimed: ClaimedVolumes,
): readonly string[] {
  const claims = volumes.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);
  return claims.filter((claim) => {
    const required = requiredNodes(claimed.get(claim));
    return required !== undefined && !selectsNode(required, node);
  });
}

function requiredNodes(volume: KubeResource | undefined): NodeSelector | undefined {
  const spec = volume?.["spec"];
  const affinity = isFields(spec) ? spec["nodeAffinity"] : undefined;
  const required = isFields(affinity) ? affinity["required"] : undefined;
  return isNodeSelector(required) ? required : undefined;
}

function isNodeSelector(value: unknown): value is NodeSelector {
  return isFields(value) && Array.isArray(value["nodeSelectorTerms"]);
}
