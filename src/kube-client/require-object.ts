import { listShape, objectShape } from "../kube/object-shapes.ts";
import { resourcePath, resourceTypes } from "../kube/resources.ts";
import { type Shape, shapeProblem } from "../kube/shape.ts";
import type { Pod } from "../kube/types.ts";
import { isFields } from "../values/fields.ts";
import type { Api, Exchange } from "./exchange.ts";
import { malformedResponse } from "./malformed-response.ts";

type Endpoint = Pick<Api, "server">;
type Request = Pick<Exchange, "method" | "target" | "type">;

/** Returns an object, or its metadata, of the call's kind and shape. @throws SUBMIT_ERR_KUBE_RESPONSE */
export function requireObject<T>(api: Endpoint, call: Request, value: T): T {
  return requireShape(api, call, value, [call.type.kind, "PartialObjectMetadata"], objectShape(call.type));
}

/** Returns a list of objects of the call's kind and shape. @throws SUBMIT_ERR_KUBE_RESPONSE */
export function requireList<T>(api: Endpoint, call: Request, value: T): T {
  const kinds = [`${call.type.kind}List`, "List", "PartialObjectMetadataList"];
  return requireShape(api, call, value, kinds, listShape(call.type));
}

/** Returns the object of a watch's bookmark, which has the version only. @throws SUBMIT_ERR_KUBE_RESPONSE */
export function requireBookmark<T>(api: Endpoint, call: Request, value: T): T {
  const kinds = [call.type.kind, "PartialObjectMetadata"];
  return requireShape(api, call, value, kinds, { metadata: { resourceVersion: "text" } });
}

/** Returns a pod as it was created, with the fields that only a wait for it reads. @throws SUBMIT_ERR_KUBE_RESPONSE */
export function requirePod(api: Endpoint, pod: Pod): Pod {
  const type = resourceTypes.pod;
  return requireObject(api, { method: "POST", target: resourcePath(type, pod.metadata?.namespace), type }, pod);
}

function requireShape<T>(api: Endpoint, call: Request, value: T, kinds: readonly string[], shape: Shape): T {
  const kind = isFields(value) ? value["kind"] : undefined;
  const [expected = ""] = kinds;
  const isNamed = typeof kind === "string" && kind !== "" && !kinds.includes(kind);
  // Spark accepts an object of another kind: the API stores a pod whose template is a Deployment as it is.
  const isOther = isNamed && (kind === "Status" || kind.endsWith("List") !== expected.endsWith("List"));
  const problem = isOther ? `it is a ${kind.slice(0, 63)}, not a ${expected}` : shapeProblem(value, shape, "");
  if (problem !== undefined) throw malformedResponse(api, call, problem);
  return value;
}
