import type { Container } from "../../kube/types.ts";
import { parseQuantity, type Quantity, quantityUnits } from "../../values/quantity.ts";
import type { Allocatable } from "./node-object.ts";
import type { StoredPod } from "./stored-pod.ts";

/** What a pod's fields and resources are read from. */
export interface PodFacts {
  readonly pod: StoredPod;
  readonly address: string;
  readonly hostAddress: string;
  /** What the node can give: the limit of a container without one. */
  readonly allocatable: Allocatable;
}

/**
 * A field of the pod for a container, e.g. `metadata.labels['app']`, `status.podIP`; whole maps as the downward API
 * writes them: lines `key="value"`.
 *
 * @returns `undefined` when there is no such field.
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
 * A request or limit of a container in units of the divisor, rounded up, e.g. `limits.memory` by `1Mi`.
 *
 * Source: Kubernetes, "Downward API"; a limit that is not set is what the node can give, a request 0.
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
