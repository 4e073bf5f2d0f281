import type { Container, PodSpec } from "../../../kube/types.ts";
import type { Action, ActionResult, ApiScope, Call } from "../call.ts";
import { isObject, type JsonObject } from "../json.ts";
import { qosClass } from "../kinds/pod.ts";
import { fillContainer } from "../kinds/pod-defaults.ts";
import { invalid } from "../status.ts";
import type { StoredObject } from "../store.ts";
import { fitStoredSize } from "../stored-size.ts";
import { invalidValue, required } from "../validation/field-error.ts";
import { find } from "../verbs/get.ts";
import { patchDocument, patchType } from "../verbs/patch.ts";
import { decodeObject, readObject } from "../verbs/read-object.ts";
import { writeOptions } from "../verbs/write-options.ts";

/** Replaces one part of a pod's specification: PUT of `pods/ephemeralcontainers` and `pods/resize`. */
export const updatePodPart: Action = (api, call) => {
  const options = writeOptions(call.query, "UpdateOptions");
  return writePart(api, call, { document: readObject(call, options), dryRun: options.dryRun });
};

/** Patches one part of a pod's specification: PATCH of the same paths. */
export const patchPodPart: Action = (api, call) => {
  const options = writeOptions(call.query, "PatchOptions");
  const current = find(api, call);
  const { document } = patchDocument(call.raw, {
    document: current,
    type: patchType(call.raw),
    structure: call.kind.type,
  });
  const draft = decodeObject(call, { object: document }, options);
  return writePart(api, call, { document: draft, dryRun: options.dryRun });
};

function writePart(
  api: ApiScope,
  call: Call,
  { document, dryRun }: { document: JsonObject; dryRun: boolean },
): ActionResult {
  const current = find(api, call);
  const change = (pod: StoredObject) => ({ ...pod, spec: changedSpec(call, specOf(pod), specOf(document)) });
  const next = change(current);
  if (dryRun) return { type: "object", status: 200, object: next };
  fitStoredSize(next, { isApply: true });
  const stored = api.store.update("pods", call.namespace, call.name, change) ?? current;
  return { type: "object", status: 200, object: stored };
}

function specOf({ spec }: JsonObject): PodSpec {
  return isPodSpec(spec) ? spec : { containers: [] };
}

function isPodSpec(value: unknown): value is PodSpec {
  return isObject(value);
}

function changedSpec(call: Call, old: PodSpec, next: PodSpec): PodSpec {
  if (call.subresource === "resize") return resizedSpec(call, old, next);
  const containers = next.ephemeralContainers ?? [];
  const missing = containers.findIndex(({ name, image = "" }) => name === "" || image === "");
  if (missing >= 0) {
    throw invalid(call.kind, call.name, [required(`spec.ephemeralContainers[${missing}].image`)]);
  }
  for (const container of containers) fillContainer(container, { isTemplate: true });
  return containers.length === 0 ? old : { ...old, ephemeralContainers: containers };
}

function resizedSpec({ kind, name }: Call, old: PodSpec, next: PodSpec): PodSpec {
  const spec = { ...old, containers: resized(old.containers, next.containers) };
  if (qosClass(spec) === qosClass(old)) return spec;
  const text = "Pod QOS Class may not change as a result of resizing";
  throw invalid(kind, name, [invalidValue("spec", qosClass(old), text)]);
}

function resized(old: readonly Container[], next: readonly Container[]): Container[] {
  return old.map((container) => {
    const resources = next.find(({ name }) => name === container.name)?.resources;
    return resources === undefined ? container : { ...container, resources };
  });
}
