import { offerOf, requestOf } from "../../diagnosis/resources.ts";
import type { KubeResource, PodSpec } from "../../kube/types.ts";
import { compareQuantities, type Quantity } from "../../values/quantity.ts";

/** Amount of a resource that a pod requests. */
export interface ResourceRequest {
  readonly resource: string;
  readonly amount: Quantity;
}

/** Lists what a pod requests. */
export function requestsOf(spec: PodSpec): readonly ResourceRequest[] {
  return resourcesOf(spec).flatMap((resource) => {
    const amount = requestOf(spec, resource);
    return amount === undefined || amount.nano === 0n ? [] : [{ resource, amount }];
  });
}

/** Lists the requests that a node does not have. */
export function lackingOn(node: KubeResource, requests: readonly ResourceRequest[]): readonly ResourceRequest[] {
  return requests.filter(({ resource, amount }) => compareQuantities(amount, offerOf(node, resource)) > 0);
}

/** Lists the resources that the containers request. */
function resourcesOf({ containers, initContainers = [] }: PodSpec): readonly string[] {
  const names = [...containers, ...initContainers].flatMap(({ resources: { requests, limits } = {} }) => [
    ...Object.keys(requests ?? {}),
    ...Object.keys(limits ?? {}),
  ]);
  return [...new Set(names)];
}
