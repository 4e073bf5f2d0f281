import type { Container, EnvVar } from "../../kube/types.ts";
import { ownMember } from "../../values/own-member.ts";
import { parseQuantity, quantityUnits } from "../../values/quantity.ts";
import type { Allocatable } from "./node-object.ts";
import { containersOf, type StoredPod } from "./stored-object.ts";

type ResourceReference = NonNullable<NonNullable<EnvVar["valueFrom"]>["resourceFieldRef"]>;

/** Facts that a pod's fields and resources are read from. */
export interface PodFacts {
  readonly pod: StoredPod;
  readonly address: string;
  readonly hostAddress: string;
  /** Resources of the node: the limit of a container without one. */
  readonly allocatable: Allocatable;
}

/**
 * Returns a field of the pod, e.g. `metadata.labels['app']`, `status.podIP`. Formats complete maps as the downward
 * API does: lines `key="value"`.
 *
 * @returns `undefined` when the field does not exist.
 */
export function podField(facts: PodFacts, path: string): string | undefined {
  const [, map, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path) ?? [];
  if (key !== undefined) {
    const { labels = {}, annotations = {} } = facts.pod.metadata;
    return ownMember(map === "labels" ? labels : annotations, key) ?? "";
  }
  return ownMember(fields, path)?.(facts);
}

const fields: Readonly<Record<string, (facts: PodFacts) => string>> = {
  "metadata.name": ({ pod }) => pod.metadata.name,
  "metadata.namespace": ({ pod }) => pod.metadata.namespace,
  "metadata.uid": ({ pod }) => pod.metadata.uid,
  "metadata.labels": ({ pod }) => mapText(pod.metadata.labels ?? {}),
  "metadata.annotations": ({ pod }) => mapText(pod.metadata.annotations ?? {}),
  "spec.nodeName": ({ pod }) => pod.spec.nodeName ?? "",
  "spec.serviceAccountName": ({ pod }) => pod.spec.serviceAccountName ?? "",
  "status.podIP": ({ address }) => address,
  "status.podIPs": ({ address }) => address,
  "status.hostIP": ({ hostAddress }) => hostAddress,
  "status.hostIPs": ({ hostAddress }) => hostAddress,
};

function mapText(map: Readonly<Record<string, string>>): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join("\n");
}

/**
 * Returns a request or limit in units of the divisor, rounded up, e.g. `limits.memory` by `1Mi`.
 *
 * Source: Kubernetes, "Downward API". An unset limit is the node's allocatable amount, an unset request 0.
 *
 * @param own the container if the reference names none
 */
export function resourceField(
  { pod, allocatable }: PodFacts,
  { containerName, resource, divisor }: ResourceReference,
  own?: Container,
): string | undefined {
  const container = containersOf(pod.spec).find(({ name }) => name === containerName) ?? own;
  if (container === undefined) return undefined;
  const [kind, ...rest] = resource.split(".");
  const name = rest.join(".");
  if (kind !== "limits" && kind !== "requests") return undefined;
  const text =
    ownMember(container.resources?.[kind] ?? {}, name) ?? (kind === "limits" ? ofNode(allocatable, name) : "0");
  const quantity = parseQuantity(text);
  const by = parseQuantity(divisor === undefined || divisor === "0" ? "1" : divisor);
  if (quantity === undefined || by === undefined || by.nano === 0n) return undefined;
  const nano = (quantity.nano * 1_000_000_000n + by.nano - 1n) / by.nano;
  return String(quantityUnits({ nano, format: "decimalSI" }));
}

function ofNode({ cpus, memoryBytes, diskBytes }: Allocatable, name: string): string {
  if (name === "cpu") return String(cpus);
  if (name === "memory") return String(memoryBytes);
  return name === "ephemeral-storage" ? String(diskBytes) : "0";
}
