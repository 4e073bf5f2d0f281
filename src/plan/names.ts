import { digits, lowerLetters } from "../values/characters.ts";
import { javaTrim } from "../values/java-trim.ts";
import type { LogLine } from "./log-line.ts";

const nameCharacters = `${lowerLetters}${digits}`;
const maxLabelValueLength = 63;
const maxServiceNameLength = 63;
const maxConfMapNameLength = 253;

/** Name of the driver's container, unless a pod template names the container. */
export const defaultDriverContainer = "spark-kubernetes-driver";

/** Name of an executor's container, unless a pod template names the container. */
export const defaultExecutorContainer = "spark-kubernetes-executor";

/**
 * Builds the prefix of the names of a submission's objects from the application's name and a unique ID.
 *
 * Shape: `spark-pi-3f09c2a1d4e5b6f0`; a leading digit becomes `x`. The length is not limited.
 * Source: Spark KubernetesConf.getResourceNamePrefix.
 */
export function resourceNamePrefix(appName: string, uniqueId: string): string {
  const prefix = withoutDashBefore(toNamePart(`${appName}-${uniqueId}`));
  const first = prefix.slice(0, 1);
  return first !== "" && digits.includes(first) ? `x${prefix.slice(1)}` : prefix;
}

/**
 * Converts the application's name to a value of the label `spark-app-name`: 0 to 63 characters.
 *
 * Source: Spark KubernetesConf.getAppNameLabel.
 */
export function appNameLabel(appName: string): string {
  const label = withoutDashBefore(toNamePart(appName).slice(0, maxLabelValueLength));
  return label.endsWith("-") ? label.slice(0, -1) : label;
}

/** Parts of the name of the driver's service. */
interface ServiceNameParts {
  readonly resourceNamePrefix: string;
  readonly uniqueId: string;
}

/** Names the driver's service; replaces a name that is too long for a host name, with a warning. */
export function driverServiceName({ resourceNamePrefix: prefix, uniqueId }: ServiceNameParts): {
  readonly name: string;
  readonly log: readonly LogLine[];
} {
  const preferred = `${prefix}-driver-svc`;
  if (preferred.length <= maxServiceNameLength) return { name: preferred, log: [] };
  const name = `spark-${uniqueId}-driver-svc`;
  const text = `Driver's hostname would preferably be ${preferred}, but this is too long (must be <= ${maxServiceNameLength} characters). Falling back to use ${name} as the driver service's name.`;
  return { name, log: [{ level: "WARN", logger: "KubernetesDriverConf", text }] };
}

/** Names the driver's ConfigMap, without the application's name. */
export function confMapName(uniqueId: string): string {
  const suffix = "-conf-map";
  return `${`spark-drv-${uniqueId}`.slice(0, maxConfMapNameLength - suffix.length)}${suffix}`;
}

/** Names the ConfigMap that a driver creates for its executors. */
export function executorConfMapName(uniqueId: string): string {
  return `spark-exec-${uniqueId}-conf-map`;
}

function toNamePart(text: string): string {
  let part = "";
  for (const character of javaTrim(text).toLowerCase()) {
    if (nameCharacters.includes(character)) part += character;
    else if (!part.endsWith("-")) part += "-";
  }
  return part;
}

function withoutDashBefore(text: string): string {
  return text.startsWith("-") ? text.slice(1) : text;
}
