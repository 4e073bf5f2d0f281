import { admitNamespace } from "../admission/namespace-lifecycle.ts";
import type { Action, ActionResult, ApiScope } from "../call.ts";
import { isArray, isObject, type JsonObject } from "../json.ts";
import { podsKind } from "../kinds/table.ts";
import { badRequest, conflict } from "../status.ts";
import type { StoredObject } from "../store.ts";
import { isStorable } from "../stored-size.ts";
import { timestamp } from "../timestamp.ts";
import { find } from "../verbs/get.ts";
import { readAction } from "../verbs/read-object.ts";
import { writeOptions } from "../verbs/write-options.ts";

const bindingKind = { group: "", version: "v1", kind: "Binding", plural: "bindings" };

/** Assigns a pod to a node: POST of `pods/binding`. */
export const bindPod: Action = (api, call) => {
  const binding = readAction(call, bindingKind);
  return bind(api, { namespace: call.namespace, name: call.name, binding, dryRun: isDryRun(call.query) });
};

/** Assigns the pod that the body names: POST of `bindings`. */
export const createBinding: Action = (api, call) => {
  const binding = readAction(call, bindingKind);
  const metadata = isObject(binding["metadata"]) ? binding["metadata"] : {};
  return bind(api, {
    namespace: call.namespace,
    name: String(metadata["name"] ?? ""),
    binding,
    dryRun: isDryRun(call.query),
  });
};

function isDryRun(query: URLSearchParams): boolean {
  return writeOptions(query, "CreateOptions").dryRun;
}

interface BindRequest {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly binding: JsonObject;
  readonly dryRun: boolean;
}

function bind(api: ApiScope, { namespace, name, binding, dryRun }: BindRequest): ActionResult {
  admitNamespace(api, { kind: podsKind, namespace }, name);
  const pod = find(api, { kind: podsKind, namespace, name });
  const target = isObject(binding["target"]) ? binding["target"] : {};
  const node = target["name"];
  const part = { ...podsKind, plural: "pods/binding" };
  const metadata = isObject(binding["metadata"]) ? binding["metadata"] : {};
  if (metadata["name"] !== name) throw badRequest("name in URL does not match name in Binding object");
  if (!["", "Node", undefined].includes(textOf(target["kind"])))
    throw badRequest(`target.kind: Unsupported value: ${JSON.stringify(target["kind"])}: supported values: "Node"`);
  const uid = textOf(metadata["uid"]) ?? "";
  if (uid !== "" && uid !== pod.metadata.uid) {
    const fault = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`;
    const key = `/registry/pods/${namespace}/${name}`;
    const text = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${fault}`;
    throw conflict(podsKind, name, text);
  }
  if (typeof node !== "string" || node === "") throw badRequest("target.name: Required value");
  const spec = isObject(pod["spec"]) ? pod["spec"] : {};
  const current = spec["nodeName"];
  if (typeof current === "string" && current !== "") {
    throw conflict(part, name, `pod ${name} is already assigned to node ${JSON.stringify(current)}`);
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw conflict(part, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (isArray(spec["schedulingGates"]) && spec["schedulingGates"].length > 0) {
    throw conflict(part, name, `pod ${name} has non-empty .spec.schedulingGates`);
  }
  const bound = (stored: StoredObject) => ({
    ...stored,
    metadata: {
      ...stored.metadata,
      ...merged("labels", stored.metadata.labels, metadata["labels"]),
      ...merged("annotations", stored.metadata.annotations, metadata["annotations"]),
    },
    spec: { ...spec, nodeName: node },
    status: withScheduled(stored["status"], timestamp(api.clock.now())),
  });
  if (!isStorable(bound(pod))) throw conflict(part, name, "etcdserver: request is too large");
  if (!dryRun) api.store.update("pods", namespace, name, bound);
  return success();
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Merges labels or annotations of a binding into a pod's. */
function merged(
  field: string,
  own: Readonly<Record<string, string>> = {},
  added: unknown,
): Readonly<Record<string, Readonly<Record<string, string>>>> {
  if (!isObject(added)) return {};
  const texts = Object.entries(added).map(([name, value]): [string, string] => [name, String(value)]);
  return { [field]: { ...own, ...Object.fromEntries(texts) } };
}

/** Builds the Status of a request that creates no object. */
export function success(): ActionResult {
  const object = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return { type: "object", status: 201, object };
}

function withScheduled(status: unknown, now: string): JsonObject {
  const known = isObject(status) ? status : {};
  const conditions = Array.isArray(known["conditions"]) ? known["conditions"] : [];
  const others = conditions.filter((condition) => !isObject(condition) || condition["type"] !== "PodScheduled");
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: now };
  return { ...known, conditions: [...others, scheduled] };
}
