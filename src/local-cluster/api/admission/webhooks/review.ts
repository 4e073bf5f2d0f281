import { goQuoted } from "../../../../values/go-quoted.ts";
import { userInfo } from "../../access/user.ts";
import { isArray, isObject, type JsonObject } from "../../json.ts";
import type { Kind } from "../../kinds/kind.ts";
import { applyJsonPatch, PatchFormatError, parseJsonPatch } from "../../patches/json-patch.ts";
import { parseJson } from "../../wire/parse-json.ts";
import type { AdmissionRequest, AdmittedObjects } from "./admission-request.ts";

const apiVersion = "admission.k8s.io/v1";

/** Builds the AdmissionReview that asks a webhook about a request. @param version kind in whose version it sees the objects */
export function buildReview(
  request: AdmissionRequest,
  { object, oldObject, format }: AdmittedObjects,
  { uid, version }: { readonly uid: string; readonly version: Kind },
): JsonObject {
  const { kind, subresource, name, namespace, operation, user, dryRun, options } = request;
  return {
    kind: "AdmissionReview",
    apiVersion,
    request: {
      uid,
      kind: format.kindIn(version),
      resource: resourceOf(version),
      ...(subresource === undefined ? {} : { subResource: subresource }),
      requestKind: format.kindIn(kind),
      requestResource: resourceOf(kind),
      ...(subresource === undefined ? {} : { requestSubResource: subresource }),
      ...(name === "" ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      operation,
      userInfo: userInfo(user),
      object: object === undefined ? null : format.print(object, version),
      oldObject: oldObject === undefined ? null : format.print(oldObject, version),
      dryRun,
      options,
    },
  };
}

function resourceOf({ group, version, plural }: Kind): JsonObject {
  return { group, version, resource: plural };
}

/** A response that is not valid. Its message is Kubernetes'. */
export class ReviewError extends Error {}

function invalidResponse(reason: string): ReviewError {
  return new ReviewError(`received invalid webhook response: ${reason}`);
}

/** A webhook's decision. */
export interface Decision {
  readonly isAllowed: boolean;
  /** Applies its patch to a document. @throws PatchError. `undefined`: it changes nothing */
  readonly patch: ((document: JsonObject) => unknown) | undefined;
  /** A Status that explains a denial. */
  readonly status: JsonObject;
  readonly warnings: readonly string[];
}

/** Parses a webhook's response. @throws ReviewError */
export function readReview(
  text: string,
  { uid, type }: { readonly uid: string; readonly type: "mutating" | "validating" },
): Decision {
  const review = parseObject(text);
  const { response } = review;
  if (!isObject(response)) throw invalidResponse("webhook response was absent");
  const found = textOf(response, "uid");
  if (found !== uid) throw invalidResponse(`expected response.uid=${goQuoted(uid)}, got ${goQuoted(found)}`);
  const own = [textOf(review, "apiVersion"), textOf(review, "kind")];
  if (own[0] !== apiVersion || own[1] !== "AdmissionReview")
    throw invalidResponse(
      `expected webhook response of ${apiVersion}, Kind=AdmissionReview, got ${own[0]}, Kind=${own[1]}`,
    );
  const { allowed = false, status, warnings } = response;
  if (typeof allowed !== "boolean") throw wrongType("response.allowed", "bool");
  return {
    isAllowed: allowed,
    patch: readPatch(response, type),
    status: isObject(status) ? status : {},
    warnings: isArray(warnings) ? warnings.filter((warning) => typeof warning === "string") : [],
  };
}

function parseObject(text: string): JsonObject {
  const parsed = parseJson(text);
  const undecodable = (reason: string) => new ReviewError(`failed to call webhook: ${reason}`);
  if ("fault" in parsed) throw undecodable(`couldn't get version/kind; json parse error: ${parsed.fault}`);
  if (!isObject(parsed.value)) throw undecodable("couldn't get version/kind; json parse error: not an object");
  if (textOf(parsed.value, "kind") === "") throw undecodable("Object 'Kind' is missing in the response");
  return parsed.value;
}

function textOf(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === "string" ? value : "";
}

function wrongType(field: string, type: string): ReviewError {
  return new ReviewError(`failed to call webhook: json: ${field} is not of type ${type}`);
}

function readPatch(response: JsonObject, type: "mutating" | "validating"): Decision["patch"] {
  const { patch, patchType } = response;
  const encoded = patch ?? "";
  if (typeof encoded !== "string") throw wrongType("response.patch", "string");
  const hasType = patchType !== undefined && patchType !== null;
  if (type === "validating") {
    if (encoded !== "") throw invalidResponse("validating webhook may not return response.patch");
    if (hasType) throw invalidResponse("validating webhook may not return response.patchType");
    return undefined;
  }
  if (encoded !== "" && !hasType) throw invalidResponse("webhook returned response.patch but not response.patchType");
  if (encoded === "" && hasType) throw invalidResponse("webhook returned response.patchType but not response.patch");
  if (encoded === "") return undefined;
  if (patchType === "") throw invalidResponse('webhook returned invalid response.patchType of ""');
  const operations = parsePatch(Buffer.from(encoded, "base64").toString("utf8"));
  if (operations.length === 0) return undefined;
  if (patchType !== "JSONPatch") throw new ReviewError(`unsupported patch type ${goQuoted(String(patchType))}`);
  return (document) => applyJsonPatch(document, operations);
}

function parsePatch(text: string): ReturnType<typeof parseJsonPatch> {
  const prefix = "received undecodable patch in webhook response: ";
  const parsed = parseJson(text);
  if ("fault" in parsed) throw new ReviewError(`${prefix}${parsed.fault}`);
  try {
    return parseJsonPatch(parsed.value);
  } catch (error) {
    if (error instanceof PatchFormatError) throw new ReviewError(`${prefix}${error.message}`);
    throw error;
  }
}
