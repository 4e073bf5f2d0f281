import type { PersistentVolumeClaimSpec, ServiceSpec } from "kubernetes-types/core/v1.d.ts";
import { type Amounts, addAmounts, one, parseAmounts, podAmounts } from "../../../kube/amounts.ts";
import { isFinalPhase } from "../../../kube/pod-phase.ts";
import type { PodSpec } from "../../../kube/types.ts";
import type { Quantity } from "../../../values/quantity.ts";
import { isObject } from "../json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Draft } from "../object.ts";
import { containerResources, isExtended } from "../validation/resource-names.ts";

type Counted = Pick<Kind, "group" | "plural">;

/** Kinds that quotas also count by their plain name. */
const plain: readonly string[] = ["configmaps", "resourcequotas", "secrets"];

/** Returns an object's usage of the resources that quotas limit. */
export function usageOf(kind: Counted, object: Draft): Amounts {
  const counts: Amounts = new Map([[countName(kind), one]]);
  if (kind.group !== "") return counts;
  switch (kind.plural) {
    case "pods":
      return isPod(object) && !isTerminated(object) ? addAmounts(counts, podUsage(object.spec)) : counts;
    case "services":
      return isService(object) ? addAmounts(counts, serviceUsage(object.spec)) : counts;
    case "persistentvolumeclaims":
      return isClaim(object) ? addAmounts(counts, claimUsage(object.spec)) : counts;
    default:
      return plain.includes(kind.plural) ? addAmounts(counts, new Map([[kind.plural, one]])) : counts;
  }
}

function countName({ group, plural }: Counted): string {
  return `count/${plural}${group === "" ? "" : `.${group}`}`;
}

/** Whether objects of a kind can use a resource. */
export function measures(kind: Counted, name: string): boolean {
  if (name === countName(kind)) return true;
  if (kind.group !== "") return false;
  switch (kind.plural) {
    case "pods":
      return name === "pods" || isContainerResource(name);
    case "services":
      return ["services", "services.nodeports", "services.loadbalancers"].includes(name);
    case "persistentvolumeclaims":
      return (
        ["persistentvolumeclaims", "requests.storage"].includes(name) || name.includes(".storageclass.storage.k8s.io/")
      );
    default:
      return plain.includes(kind.plural) && name === kind.plural;
  }
}

function isContainerResource(name: string): boolean {
  const [, resource = ""] = /^(?:requests\.|limits\.)?(.*)$/.exec(name) ?? [];
  if (containerResources.includes(resource) || /^(requests\.)?hugepages-/.test(name)) return true;
  return name.startsWith("requests.") && isExtended(resource);
}

type PodLike = Draft & { readonly spec: PodSpec };

function isPod(object: Draft): object is PodLike {
  return isObject(object["spec"]);
}

function isTerminated({ status }: Draft): boolean {
  return isObject(status) && isFinalPhase(status["phase"]);
}

function podUsage(spec: PodSpec): Amounts {
  const usage = new Map<string, Quantity>([["pods", one]]);
  for (const [name, amount] of podAmounts(spec, "requests")) {
    if (containerResources.includes(name) || name.startsWith("hugepages-")) usage.set(name, amount);
    usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of podAmounts(spec, "limits")) {
    if (containerResources.includes(name)) usage.set(`limits.${name}`, amount);
  }
  return usage;
}

/** Resources that each container must specify if a quota limits them. */
const mandatory: readonly string[] = ["cpu", "memory"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]);

/** Lists the mandatory amounts that containers lack, e.g. `limits.memory for: a,b`. */
export function missingAmounts(object: Draft, limited: readonly string[]): string[] {
  const needed = mandatory.filter((name) => limited.includes(name)).sort();
  if (!isPod(object) || needed.length === 0) return [];
  const containers = [...(object.spec.containers ?? []), ...(object.spec.initContainers ?? [])];
  return needed.flatMap((name) => {
    const lacking = containers
      .filter((container) => !podUsage({ containers: [container] }).has(name))
      .map((container) => container.name);
    return lacking.length === 0 ? [] : [`${name} for: ${[...new Set(lacking)].sort().join(",")}`];
  });
}

type ServiceLike = Draft & { readonly spec: ServiceSpec };

function isService(object: Draft): object is ServiceLike {
  return isObject(object["spec"]);
}

function serviceUsage({ type, ports = [], allocateLoadBalancerNodePorts = true }: ServiceSpec): Amounts {
  const usage = new Map([["services", one]]);
  const hasNodePorts = type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts);
  if (type === "LoadBalancer") usage.set("services.loadbalancers", one);
  if (hasNodePorts) usage.set("services.nodeports", { ...one, nano: one.nano * BigInt(ports.length) });
  return usage;
}

type ClaimLike = Draft & { readonly spec: PersistentVolumeClaimSpec };

function isClaim(object: Draft): object is ClaimLike {
  return isObject(object["spec"]);
}

function claimUsage({ resources, storageClassName = "" }: PersistentVolumeClaimSpec): Amounts {
  const storage = parseAmounts(resources?.requests).get("storage");
  const own = new Map([
    ["persistentvolumeclaims", one],
    ...(storage === undefined ? [] : [["requests.storage", storage] as const]),
  ]);
  if (storageClassName === "") return own;
  const prefix = `${storageClassName}.storageclass.storage.k8s.io/`;
  return addAmounts(own, new Map([...own].map(([name, amount]) => [prefix + name, amount])));
}
