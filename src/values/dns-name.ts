import { javaTrim } from "./java-trim.ts";

/** Names in the alphabets that Kubernetes allows. Source: RFC 1123; Kubernetes, "Object Names and IDs". */

/** Most characters of a label of a DNS name, of a service's name and of a label's value. */
export const dnsLabelMaxLength = 63;

/** Most characters of a DNS subdomain: of most objects' names. */
export const dnsSubdomainMaxLength = 253;

const labelPattern = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const labelText = new RegExp(`^${labelPattern}$`);
const subdomainText = new RegExp(`^${labelPattern}(?:\\.${labelPattern})*$`);
const labelValueText = /^(?:[A-Za-z0-9](?:[-_.A-Za-z0-9]*[A-Za-z0-9])?)?$/;

/** True for `driver-svc`, false for `-a`, `A`, `a.b`. */
export function isDnsLabel(text: string): boolean {
  return text.length <= dnsLabelMaxLength && labelText.test(text);
}

/** True for `pi-1.driver`, false for `a..b`. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= dnsSubdomainMaxLength && subdomainText.test(text);
}

/** True for what a label of a Kubernetes object may be; it may be empty. */
export function isLabelValue(text: string): boolean {
  return text.length <= dnsLabelMaxLength && labelValueText.test(text);
}

/** True for what a label or an annotation may be called: `team`, `example.org/team`. */
export function isQualifiedName(text: string): boolean {
  const slash = text.indexOf("/");
  const name = text.slice(slash + 1);
  return name !== "" && isLabelValue(name) && (slash < 0 || isDnsSubdomain(text.slice(0, slash)));
}

/**
 * What the names of a submission's objects begin with: the application's name in lower case, all else than letters and
 * digits as one dash, and the unique id. A leading digit becomes `x`. Never cut.
 *
 * Shape: `Spark Pi` and `3f09c2a1d4e5b6f0` give `spark-pi-3f09c2a1d4e5b6f0`. Source: Spark KubernetesConf.getResourceNamePrefix.
 */
export function toResourceNamePrefix(appName: string, uniqueId: string): string {
  return dashed(`${appName}-${uniqueId}`)
    .replace(/^-/, "")
    .replace(/^[0-9]/, "x");
}

/**
 * The application's name as the value of a label, at most 63 characters; may be empty.
 *
 * Shape: ` Job+Spark-Pi 2021` gives `job-spark-pi-2021`. Source: Spark KubernetesConf.getAppNameLabel.
 */
export function toAppNameLabel(appName: string): string {
  return dashed(appName).slice(0, dnsLabelMaxLength).replace(/^-/, "").replace(/-$/, "");
}

function dashed(text: string): string {
  return javaTrim(text)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/-+/g, "-");
}
