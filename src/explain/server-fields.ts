import type { LeafValue } from "./leaves.ts";

/** Values that a server sets; `undefined`: all. */
type ServerValues = readonly string[] | undefined;

/** Fields that the API server or admission plugins set or omit, with the values that they set, by their path. */
const byPath: ReadonlyMap<string, ServerValues> = new Map<string, ServerValues>([
  ["data[spark.properties][spark.app.submitTime]", undefined],
  ["spec.dnsPolicy", ["ClusterFirst"]],
  ["spec.enableServiceLinks", ["true"]],
  ["spec.nodeName", undefined],
  ["spec.preemptionPolicy", undefined],
  ["spec.priority", undefined],
  ["spec.schedulerName", ["default-scheduler"]],
  ["spec.securityContext", ["{}"]],
  ["spec.serviceAccount", ["default"]],
  ["spec.serviceAccountName", ["default"]],
  ["spec.terminationGracePeriodSeconds", ["30"]],
  ["type", ["Opaque"]],
]);

/** The same by the first two names of the path, for all fields below. */
const byBeginning: ReadonlyMap<string, ServerValues> = new Map<string, ServerValues>([
  ["metadata.uid", undefined],
  ["metadata.resourceVersion", undefined],
  ["metadata.creationTimestamp", undefined],
  ["metadata.generation", undefined],
  ["metadata.selfLink", undefined],
  ["metadata.namespace", undefined],
  ["metadata.managedFields", undefined],
  ["metadata.ownerReferences", undefined],
  ["metadata.finalizers", ["kubernetes.io/pvc-protection"]],
  ["spec.tolerations", undefined],
  ["spec.clusterIPs", undefined],
  ["spec.internalTrafficPolicy", undefined],
  ["spec.sessionAffinity", undefined],
  ["spec.type", undefined],
  ["spec.policyTypes", undefined],
  ["spec.volumeMode", undefined],
  ["spec.volumeName", undefined],
]);

/** The same by the last name of the path, after text with which the rest ends. */
const byEnd: ReadonlyMap<string, { readonly after: string; readonly values: ServerValues }> = new Map([
  [".publishNotReadyAddresses", { after: "", values: ["false"] }],
  [".readOnly", { after: "", values: ["false"] }],
  [".optional", { after: "", values: ["false"] }],
  [".terminationMessagePath", { after: "", values: ["/dev/termination-log", "File"] }],
  [".terminationMessagePolicy", { after: "", values: ["/dev/termination-log", "File"] }],
  [".resources", { after: "", values: ["{}"] }],
  [".defaultMode", { after: "", values: ["420"] }],
  [".protocol", { after: "", values: ["TCP"] }],
  [".apiVersion", { after: ".fieldRef", values: ["v1"] }],
  [".type", { after: ".hostPath", values: [""] }],
  [".scheme", { after: ".httpGet", values: ["HTTP"] }],
  [".timeoutSeconds", { after: "Probe", values: ["1"] }],
  [".successThreshold", { after: "Probe", values: ["1"] }],
  [".periodSeconds", { after: "Probe", values: ["10"] }],
  [".failureThreshold", { after: "Probe", values: ["3"] }],
]);

/** Beginnings of other paths. */
const beginnings = [
  "spec.volumes[kube-api-access-",
  ...["pv", "pv.beta", "volume", "volume.beta"].map((name) => `metadata.annotations[${name}.kubernetes.io/`),
];

const accountMount = ".volumeMounts[/var/run/secrets/kubernetes.io/serviceaccount]";

/**
 * Whether a server sets or omits a field with this value, so that comparisons ignore it on both sides.
 *
 * Looks up names: V8 takes a millisecond to compile a regular expression for all of them.
 */
export function isSetByServer(id: string, value: LeafValue): boolean {
  const hasValue = (values: ServerValues) => values === undefined || values.includes(textOf(value));
  const beginning = beginningOf(id);
  const at = id.lastIndexOf(".");
  const end = byEnd.get(id.slice(at));
  return (
    (byPath.has(id) && hasValue(byPath.get(id))) ||
    (byBeginning.has(beginning) && hasValue(byBeginning.get(beginning))) ||
    (end !== undefined && at > 0 && id.endsWith(end.after, at) && hasValue(end.values)) ||
    id.includes(accountMount) ||
    beginnings.some((text) => id.startsWith(text))
  );
}

/** Returns the first two names of a path, without the item of a list. */
function beginningOf(id: string): string {
  const [first = "", second = ""] = id.split(".", 2);
  const bracket = second.indexOf("[");
  return `${first}.${bracket < 0 ? second : second.slice(0, bracket)}`;
}

function textOf(value: LeafValue): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
