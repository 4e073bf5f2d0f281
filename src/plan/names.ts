import { digits, lowerLetters } from "../values/characters.ts";
import { javaTrim } from "../values/java-trim.ts";
import type { LogLine } from "./log-line.ts";

const nameCharacters = `${lowerLetters}${digits}`;
const longestLabelValue = 63;
const longestServiceName = 63;
const longestConfMapName = 253;

/** The name of the driver's container, unless a pod template names it. */
export const defaultDriverContainer = "spark-kubernetes-driver";

/** The same of an executor. */
export const defaultExecutorContainer = "spark-kubernetes-executor";

/**
 * What the names of a submission's objects begin with, made of the application's name and a unique id.
 *
 * Shape: `spark-pi-3f09c2a1d4e5b6f0`; a leading digit becomes `x`, the length is not limited.
 * Source: Spark KubernetesConf.getResourceNamePrefix.
 */
export function resourceNamePrefix(appName: string, uniqueId: string): string {
  const prefix = withoutDashBefore(toNamePart(`${appName}-${uniqueId}`));
  const first = prefix.slice(0, 1);
  return first !== "" && digits.includes(first) ? `x${prefix.slice(1)}` : prefix;
}

/**
 * The application's name as the value of the label `spark-app-name`: at most 63 characters, possibly none.
 *
 * Source: Spark KubernetesConf.getAppNameLabel.
 */
export function appNameLabel(appName: string): string {
  const label = withoutDashBefore(toNamePart(appName).slice(0, longestLabelValue));
  return label.endsWith("-") ? label.slice(0, -1) : label;
}

/** What a name is made from. */
export interface ServiceNameParts {
  readonly resourceNamePrefix: string;
  readonly uniqueId: string;
}

/** The driver service's name, and what there is to tell of it; a name too long for a host gets a short stand-in. */
export function driverServiceName({ resourceNamePrefix: prefix, uniqueId }: ServiceNameParts): {
  readonly name: string;
  readonly log: readonly LogLine[];
} {
  const preferred = `${prefix}-driver-svc`;
  if (preferred.length <= longestServiceName) return { name: preferred, log: [] };
  const name = `spark-${uniqueId}-driver-svc`;
  const text = `Driver's hostname would preferably be ${preferred}, but this is too long (must be <= ${longestServiceName} characters). Falling back to use ${name} as the driver service's name.`;
  return { name, log: [{ level: "WARN", logger: "KubernetesDriverConf", text }] };
}

/** The configuration map's name; it has nothing of the application's name. */
export function confMapName(uniqueId: string): string {
  const suffix = "-conf-map";
  return `${`spark-drv-${uniqueId}`.slice(0, longestConfMapName - suffix.length)}${suffix}`;
}

/** The same for the map that a driver makes for its executors. */
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
