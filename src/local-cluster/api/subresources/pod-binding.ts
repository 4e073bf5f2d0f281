import { isObject, type JsonObject } from "../json.ts";
import { podsKind } from "../kinds/table.ts";
import { badRequest, conflict } from "../status.ts";
import { timestamp } from "../timestamp.ts";
import type { Action, Answer, ApiScope } from "../verbs/call.ts";
import { find } from "../verbs/get.ts";
import { readAction } from "../verbs/read-object.ts";
import { writeOptions } from "../verbs/write-options.ts";

const bindingKind = { group: "", version: "v1", kind: "Binding", plural: "bindings" };

/** POST of `pods/binding`: a scheduler puts a pod on a node. */
export const bindPod: Action = (api, call) => {
  const binding = readAction(call, bindingKind);
  return bind(api, { namespace: call.namespace, name: call.name, binding, dryRun: isDryRun(call.query) });
};

/** POST of `bindings`: the same, with the pod's name in the body. */
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

function bind(api: ApiScope, { namespace, name, binding, dryRun }: BindRequest): Answer {
  const pod = find(api, { kind: podsKind, namespace, name });
  const target = isObject(binding["target"]) ? binding["target"] : {};
  const node = target["name"];
  const part = { ...podsKind, plural: "pods/binding" };
  if (typeof node !== "string" || node === "") throw badRequest("target.name: Required value");
  const spec = isObject(pod["spec"]) ? pod["spec"] : {};
  const current = spec["nodeName"];
  if (typeof current === "string" && current !== "") {
    throw conflict(part, name, `pod ${name} is already assigned to node ${JSON.stringify(current)}`);
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw conflict(part, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (!dryRun) {
    api.store.update("pods", namespace, name, (stored) => ({
      ...stored,
      spec: { ...spec, nodeName: node },
      status: withScheduled(stored["status"], timestamp(api.clock.now())),
    }));
  }
  return success();
}

/** What a request answers that makes no object. */
export function success(): Answer {
  const object = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return { type: "object", status: 201, object };
}

function withScheduled(status: unknown, now: string): JsonObject {
  const known = isObject(status) ? status : {};
  const conditions = Array.isArray(known["conditions"]) ? known["conditions"] : [];
  const others = conditions.filter(
    (condition) => !isObject(condition) || condition["type"] !== "PodScheduled",
  );
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: now };
  return { ...known, conditions: [...others, scheduled] };
}
