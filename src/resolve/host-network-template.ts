/**
 * Puts the pods of a template on the network of their nodes, and keeps the names of the cluster resolvable. A DNS policy of the template
 * stays.
 *
 * @param template a parsed pod template @throws Error if it forbids the network of the node, or is not an object
 */
export function withHostNetwork(template: unknown): string {
  if (!isFields(template)) throw new Error("it is not a pod");
  const spec = isFields(template["spec"]) ? template["spec"] : {};
  if (spec["hostNetwork"] === false)
    throw new Error("its spec.hostNetwork is false, but executors must be on the network of the node");
  const network = { dnsPolicy: "ClusterFirstWithHostNet", ...spec, hostNetwork: true };
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", ...template, spec: network }, undefined, 2);
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
