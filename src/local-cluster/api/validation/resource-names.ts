import { type FieldError, invalidValue } from "./field-error.ts";
import { qualifiedName } from "./names.ts";

/** Resources without prefix that containers can request. */
export const containerResources: readonly string[] = ["cpu", "memory", "ephemeral-storage"];

/** Resources that quotas count in integers. */
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

/** Returns the errors of the name of a container's resource. */
export function containerResourceErrors(name: string, field: string): FieldError[] {
  const faults = resourceFaults(name);
  if (faults.length === 0 && name.includes("/") && name.startsWith("requests.")) {
    return [invalidValue(field, name, "doesn't follow extended resource name standard")];
  }
  const isSupported = name.includes("/") || containerResources.includes(name) || name.startsWith("hugepages-");
  return withFault(name, field, {
    faults,
    fault: isSupported ? "" : "must be a standard resource for containers",
  });
}

/** Returns the errors of the name of a quota's resource. */
export function quotaResourceErrors(name: string, field: string): FieldError[] {
  const isSupported = name.includes("/") || ofQuotas.includes(name) || isHugePages(name);
  const fault = isSupported ? "" : "must be a standard resource for quota";
  return withFault(name, field, { faults: resourceFaults(name), fault });
}

/** Returns the errors of the name of any resource. */
export function resourceErrors(name: string, field: string): FieldError[] {
  return withFault(name, field, { faults: resourceFaults(name), fault: "" });
}

function resourceFaults(name: string): readonly string[] {
  const faults = qualifiedName(name);
  if (faults.length > 0 || name.includes("/")) return faults;
  const isStandard = name === "storage" || ofQuotas.includes(name) || isHugePages(name);
  return isStandard ? [] : ["must be a standard resource type or fully qualified"];
}

function withFault(
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

/** Whether amounts of a resource are integers. */
export function isCounted(name: string): boolean {
  return counted.includes(name) || isExtended(name);
}

/** Whether a resource is an extended one, such as `example.com/gpu`. */
export function isExtended(name: string): boolean {
  return name.includes("/") && !name.includes("kubernetes.io/") && !name.startsWith("requests.");
}
