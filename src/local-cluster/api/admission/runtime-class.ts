import type { Overhead, Scheduling } from "kubernetes-types/node/v1.d.ts";
import type { PodSpec } from "../../../kube/types.ts";
import type { ApiScope, Call } from "../call.ts";
import { isSame } from "../json.ts";
import { type Draft, nameOf } from "../object.ts";
import { forbidden } from "../status.ts";
import type { StoredObject } from "../store.ts";

type RuntimeClass = StoredObject & { readonly overhead?: Overhead; readonly scheduling?: Scheduling };

/**
 * Sets the overhead and the scheduling constraints of a new pod's runtime class.
 *
 * Source: Kubernetes 1.35, plugin/pkg/admission/runtimeclass.
 *
 * @throws StatusError 403 if the class does not exist or contradicts the pod
 */
export function admitRuntimeClass({ store }: ApiScope, call: Call, pod: Draft & { spec: PodSpec }): void {
  const { spec } = pod;
  const rejection = (text: string) => forbidden(call.kind, nameOf(pod), text);
  const { runtimeClassName: name } = spec;
  const found = name === undefined ? undefined : store.get("runtimeclasses.node.k8s.io", undefined, name);
  if (name !== undefined && found === undefined) throw rejection(`pod rejected: RuntimeClass "${name}" not found`);
  const { overhead, scheduling } = found !== undefined && isRuntimeClass(found) ? found : {};
  const fixed = overhead?.podFixed;
  if (fixed === undefined && spec.overhead !== undefined)
    throw rejection("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
  if (fixed !== undefined && spec.overhead !== undefined && !isSame(fixed, spec.overhead))
    throw rejection("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  if (fixed !== undefined) spec.overhead = { ...fixed };
  const fault = schedulingFault(spec, scheduling);
  if (fault !== undefined) throw rejection(fault);
}

function isRuntimeClass(object: StoredObject): object is RuntimeClass {
  return object.kind === "RuntimeClass";
}

/** Adds node selector and tolerations. @returns the message of a contradiction */
function schedulingFault(spec: PodSpec, { nodeSelector = {}, tolerations = [] }: Scheduling = {}): string | undefined {
  for (const [key, value] of Object.entries(nodeSelector)) {
    const own = spec.nodeSelector?.[key];
    if (own !== undefined && own !== value)
      return `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`;
  }
  if (Object.keys(nodeSelector).length > 0) spec.nodeSelector = { ...spec.nodeSelector, ...nodeSelector };
  const missing = tolerations.filter((one) => !(spec.tolerations ?? []).some((own) => isSame(own, one)));
  if (missing.length > 0) spec.tolerations = [...(spec.tolerations ?? []), ...missing];
  return undefined;
}
