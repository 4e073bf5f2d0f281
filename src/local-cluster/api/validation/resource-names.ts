import { type FieldError, invalidValue } from "./field-error.ts";
import { qualifiedName } from "./names.ts";

/** What containers may ask for without a prefix. */
export const containerResources: readonly string[] = ["cpu", "memory", "ephemeral-storage"];

/** What a quota counts in whole numbers. */
const counted: readonly string[] = [
  "configmaps",
  "persistentvolumeclaims",
  "pods",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
  "services.loadbalancers",
  "services.nodeports",
];

const ofQuotas: readonly string[] = [
  ...counted,
  ...["", "requests.", "limits."].flatMap((prefix) => containerResources.map((name) => prefix + name)),
  "requests.storage",
];

/** What is wrong with the name of a resource that a container may ask for. */
export function containerResourceErrors(name: string, field: string): FieldError[] {
  const faults = resourceFaults(name);
  if (faults.length === 0 && name.includes("/") && name.startsWith("requests.")) {
    return [invalidValue(field, name, "doesn't follow extended resource name standard")];
  }
  const isFit = name.includes("/") || containerResources.includes(name) || name.startsWith("hugepages-");
  return withFit(name, field, { faults, fault: isFit ? "" : "must be a standard resource for containers" });
}

/** What is wrong with the name of a resource that a quota may limit. */
export function quotaResourceErrors(name: string, field: string): FieldError[] {
  const isFit = name.includes("/") || ofQuotas.includes(name) || isHugePages(name);
  const fault = isFit ? "" : "must be a standard resource for quota";
  return withFit(name, field, { faults: resourceFaults(name), fault });
}

/** What is wrong with the name of any resource. */
export function resourceErrors(name: string, field: string): FieldError[] {
  return withFit(name, field, { faults: resourceFaults(name), fault: "" });
}

function resourceFaults(name: string): readonly string[] {
  const faults = qualifiedName(name);
  if (faults.length > 0 || name.includes("/")) return faults;
  const isStandard = name === "storage" || ofQuotas.includes(name) || isHugePages(name);
  return isStandard ? [] : ["must be a standard resource type or fully qualified"];
}

function withFit(
  name: string,
  field: string,
  { faults, fault }: { faults: readonly string[]; fault: string },
): FieldError[] {
  const all = fault === "" ? faults : [...faults, fault];
  return all.map((text) => invalidValue(field, name, text));
}

function isHugePages(name: string): boolean {
  return /^(requests\.)?hugepages-/.test(name);
}

/** Whether there are only whole ones of a resource. */
export function isCounted(name: string): boolean {
  return counted.includes(name) || isExtended(name);
}

/** Whether a resource is somebody's own, e.g. `example.com/gpu`. */
export function isExtended(name: string): boolean {
  return name.includes("/") && !name.includes("kubernetes.io/") && !name.startsWith("requests.");
}
