import type { ObjectFormat } from "../admission/webhooks/admission-request.ts";
import { expiryOf } from "../admission/webhooks/expiry.ts";
import type { Action, ActionResult, ApiScope, Call } from "../call.ts";
import { isObject, type JsonObject } from "../json.ts";
import { valueAt, withValueAt } from "../json-path.ts";
import type { ScalePaths } from "../kinds/custom-format.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Draft } from "../object.ts";
import { DecodeError, decode } from "../schema/decode.ts";
import { findStructType, type StructType } from "../schema/schema.ts";
import { badRequest, internalErrorOf, invalid } from "../status.ts";
import { runSteps, type Steps } from "../steps.ts";
import { invalidValue } from "../validation/field-error.ts";
import { find } from "../verbs/get.ts";
import type { InsertOptions } from "../verbs/insert.ts";
import { type Patched, patchDocument, patchType } from "../verbs/patch.ts";
import { readAction } from "../verbs/read-object.ts";
import { replace, untilStored } from "../verbs/update.ts";
import { writeOptions } from "../verbs/write-options.ts";

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale", plural: "scales" };

/** Reads the current and desired number of replicas: GET of `scale`. */
export const getScale: Action = (api, call) => {
  const object = find(api, call);
  const { specReplicas } = pathsOf(call.kind);
  if (call.kind.custom !== undefined && valueAt(object, specReplicas) === undefined) {
    throw internalErrorOf(`the spec replicas field ".${specReplicas.join(".")}" does not exist`);
  }
  return { type: "object", status: 200, object: scaleOf(call.kind, object) };
};

/** Paths of the kinds of the table, whose selector has labels. */
const usualPaths: ScalePaths = {
  specReplicas: ["spec", "replicas"],
  statusReplicas: ["status", "replicas"],
  selector: undefined,
};

function pathsOf({ custom }: Kind): ScalePaths {
  return custom?.scale ?? usualPaths;
}

/** Sets the number of replicas: PUT of `scale`. */
export const updateScale: Action = (api, call) => {
  const options = { ...writeOptions(call.query, "UpdateOptions"), expires: expiryOf(api, call) };
  const scale = readAction(call, scaleKind);
  const metadata = isObject(scale["metadata"]) ? scale["metadata"] : {};
  const own = metadata["name"];
  if (typeof own === "string" && own !== "" && own !== call.name) {
    throw badRequest(`the name of the object (${own}) does not match the name on the URL (${call.name})`);
  }
  return runSteps(untilStored(() => write(api, call, { scale, options })));
};

/** Patches the number of replicas: PATCH of `scale`. */
export const patchScale: Action = (api, call) => {
  const options = { ...writeOptions(call.query, "PatchOptions"), expires: expiryOf(api, call) };
  const structure = findStructType("autoscaling/v1", "Scale");
  if (structure === undefined) throw new RangeError("no type Scale");
  return runSteps(
    untilStored(() => {
      const current = scaleOf(call.kind, find(api, call));
      const patched = patchDocument(call.raw, { document: current, type: patchType(call.raw), structure });
      return write(api, call, { scale: decodePatch(patched, structure), options });
    }),
  );
};

/** Decodes a patched scale. @throws StatusError 422 for invalid values */
function decodePatch({ document, shown }: Patched, structure: StructType): JsonObject {
  try {
    return decode(structure, document).object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw invalid({ group: "", kind: "", plural: "" }, "", [invalidValue("patch", shown(), error.message)]);
  }
}

function* write(
  api: ApiScope,
  call: Call,
  { scale, options }: { scale: JsonObject; options: InsertOptions },
): Steps<ActionResult | undefined> {
  const { kind } = call;
  const current = find(api, call);
  const metadata = isObject(scale["metadata"]) ? scale["metadata"] : {};
  const { resourceVersion } = metadata;
  const copy: Draft = structuredClone(current);
  const revision = typeof resourceVersion === "string" ? resourceVersion : "";
  const scaledTo = (replicas: number): Draft => ({
    ...withValueAt(copy, pathsOf(kind).specReplicas, replicas),
    ...{ apiVersion: copy.apiVersion, kind: copy.kind },
    metadata: {
      ...copy.metadata,
      // A custom resource requires a revision, which the client need not specify here.
      resourceVersion: revision === "" && kind.custom !== undefined ? current.metadata.resourceVersion : revision,
    },
  });
  const format: ObjectFormat<Draft> = {
    kindIn: () => ({ group: scaleKind.group, version: scaleKind.version, kind: scaleKind.kind }),
    print: (object) => scaleOf(kind, object),
    parse: (document) => scaledTo(replicasOf(document, call)),
  };
  const written = yield* replace(api, { ...call, subresource: undefined }, scaledTo(replicasOf(scale, call)), {
    ...{ ...options, current, format, admittedPart: "scale" },
  });
  return written?.type === "object" ? { ...written, object: scaleOf(kind, written.object) } : written;
}

/** Returns the number of replicas that a scale requests. @throws StatusError 422 */
function replicasOf({ spec }: JsonObject, { name }: Pick<Call, "name">): number {
  const requested = isObject(spec) ? spec["replicas"] : undefined;
  const replicas = typeof requested === "number" ? requested : 0;
  if (replicas >= 0) return replicas;
  throw invalid(scaleKind, name, [invalidValue("spec.replicas", replicas, "must be greater than or equal to 0")]);
}

function scaleOf(kind: Kind, object: JsonObject): JsonObject {
  const { specReplicas, statusReplicas, selector } = pathsOf(kind);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = isObject(object["metadata"])
    ? object["metadata"]
    : {};
  const spec = isObject(object["spec"]) ? object["spec"] : {};
  const replicas = valueAt(object, specReplicas);
  const text = kind.custom === undefined ? selectorText(spec["selector"]) : valueAt(object, selector ?? []);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: typeof replicas === "number" && replicas > 0 ? { replicas } : {},
    status: {
      replicas: valueAt(object, statusReplicas) ?? 0,
      ...(typeof text === "string" && (text !== "" || kind.custom === undefined) ? { selector: text } : {}),
    },
  };
}

function selectorText(selector: unknown): string {
  const labels = isObject(selector) && isObject(selector["matchLabels"]) ? selector["matchLabels"] : {};
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(",");
}
