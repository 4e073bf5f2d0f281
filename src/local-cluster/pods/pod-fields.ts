import type { Container } from "../../kube/types.ts";
import { parseQuantity, type Quantity, quantityUnits } from "../../values/quantity.ts";
import type { Allocatable } from "./node-object.ts";
import type { StoredPod } from "./stored-object.ts";

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
export function podField({ pod, address, hostAddress }: PodFacts, path: string): string | undefined {
  const entry = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (entry?.[2] !== undefined) {
    return pod.metadata[entry[1] === "labels" ? "labels" : "annotations"]?.[entry[2]] ?? "";
  }
  switch (path) {
    case "metadata.name":
      return pod.metadata.name;
    case "metadata.namespace":
      return pod.metadata.namespace;
    case "metadata.uid":
      return pod.metadata.uid;
    case "metadata.labels":
      return mapText(pod.metadata.labels ?? {});
    case "metadata.annotations":
      return mapText(pod.metadata.annotations ?? {});
    case "spec.nodeName":
      return pod.spec.nodeName ?? "";
    case "spec.serviceAccountName":
      return pod.spec.serviceAccountName ?? "";
    case "status.podIP":
    case "status.podIPs":
      return address;
    case "status.hostIP":
    case "status.hostIPs":
      return hostAddress;
    default:
      return undefined;
  }
}

function mapText(map: Readonly<Record<string, string>>): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join("\n");
}

/**
 * Returns a request or limit of a container in units of the divisor, rounded up, e.g. `limits.memory` by `1Mi`.
 *
 * Source: Kubernetes, "Downward API". An unset limit is the node's allocatable amount, an unset request 0.
 */
export function resourceField(
  { allocatable }: PodFacts,
  container: Container,
  { resource, divisor }: { readonly resource: string; readonly divisor?: string },
): string | undefined {
  const [kind, ...rest] = resource.split(".");
  const name = rest.join(".");
  if (kind !== "limits" && kind !== "requests") return undefined;
  const text = container.resources?.[kind]?.[name] ?? (kind === "limits" ? ofNode(allocatable, name) : "0");
  const quantity = parseQuantity(text);
  const by = parseQuantity(divisor === undefined || divisor === "0" ? "1" : divisor);
  if (quantity === undefined || by === undefined || by.nano === 0n) return undefined;
  return String(quotient(quantity, by));
}

function ofNode({ cpus, memoryBytes, diskBytes }: PodFacts["allocatable"], name: string): string {
  if (name === "cpu") return String(cpus);
  if (name === "memory") return String(memoryBytes);
  return name === "ephemeral-storage" ? String(diskBytes) : "0";
}

function quotient(quantity: Quantity, divisor: Quantity): number {
  const scaled = (quantity.nano * 1_000_000_000n + divisor.nano - 1n) / divisor.nano;
  return quantityUnits({ nano: scaled, format: "decimalSI" });
}
