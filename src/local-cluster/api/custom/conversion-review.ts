import { goQuoted } from "../../../values/go-quoted.ts";
import { isArray, isObject, type JsonObject } from "../json.ts";
import { parseJson } from "../wire/parse-json.ts";

const reviewVersion = "apiextensions.k8s.io/v1";

/** Objects that a webhook converts, and the version that they get, e.g. `example.com/v2`. */
interface ReviewedObjects {
  readonly uid: string;
  readonly objects: readonly JsonObject[];
  readonly apiVersion: string;
}

/** Builds the ConversionReview that asks a webhook for objects in another version. */
export function buildConversionReview({ uid, objects, apiVersion }: ReviewedObjects): JsonObject {
  const request = { uid, desiredAPIVersion: apiVersion, objects };
  return { kind: "ConversionReview", apiVersion: reviewVersion, request };
}

/** A conversion that failed. Its message is Kubernetes' one. */
export class ConversionError extends Error {}

/**
 * Parses a webhook's response. Of the metadata, a webhook can change only labels and annotations.
 *
 * @returns the converted objects, in the order of the objects of the review
 * @throws ConversionError
 */
export function readConversionReview(text: string, reviewed: ReviewedObjects): readonly JsonObject[] {
  const { uid, objects } = reviewed;
  const response = responseIn(text);
  const found = textOf(response, "uid");
  if (found !== uid) throw new ConversionError(`expected response.uid=${goQuoted(uid)}, got ${goQuoted(found)}`);
  checkResult(isObject(response["result"]) ? response["result"] : {});
  const { convertedObjects } = response;
  const converted = isArray(convertedObjects) ? convertedObjects : [];
  if (converted.length !== objects.length)
    throw new ConversionError(`expected ${objects.length} converted objects, got ${converted.length}`);
  return objects.map((object, index) => checkedObject(object, converted[index], reviewed));
}

function responseIn(text: string): JsonObject {
  const parsed = parseJson(text);
  if ("fault" in parsed) throw new ConversionError(`couldn't get version/kind; json parse error: ${parsed.fault}`);
  const review = isObject(parsed.value) ? parsed.value : {};
  const [apiVersion, kind] = [textOf(review, "apiVersion"), textOf(review, "kind")];
  const expected = `${reviewVersion}, Kind=ConversionReview`;
  if (apiVersion !== reviewVersion || kind !== "ConversionReview")
    throw new ConversionError(`expected webhook response of ${expected}, got ${apiVersion}, Kind=${kind}`);
  if (!isObject(review["response"])) throw new ConversionError("no response provided");
  return review["response"];
}

function checkResult(result: JsonObject): void {
  const status = textOf(result, "status");
  if (status === "Success") return;
  const message = textOf(result, "message");
  throw new ConversionError(message === "" ? `response.result.status was '${status}', not 'Success'` : message);
}

function checkedObject(object: JsonObject, converted: unknown, { apiVersion }: ReviewedObjects): JsonObject {
  if (!isObject(converted)) throw new ConversionError("a converted object is not an object");
  const found = textOf(converted, "apiVersion");
  if (found !== apiVersion)
    throw new ConversionError(`invalid groupVersion (expected ${apiVersion}, received ${found})`);
  const [kind, foundKind] = [textOf(object, "kind"), textOf(converted, "kind")];
  if (foundKind !== kind) throw new ConversionError(`invalid kind (expected ${kind}, received ${foundKind})`);
  if (!isObject(converted["metadata"])) throw new ConversionError("missing metadata in the converted object");
  return withMetadataOf(object, converted);
}

/** Returns an object with the metadata of another one, except its own labels and annotations. */
export function withMetadataOf(source: JsonObject, object: JsonObject): JsonObject {
  const own = isObject(object["metadata"]) ? object["metadata"] : {};
  const { labels: _, annotations: __, ...metadata } = isObject(source["metadata"]) ? source["metadata"] : {};
  const { labels, annotations } = own;
  const kept = { ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) };
  return { ...object, metadata: { ...metadata, ...kept } };
}

function textOf(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === "string" ? value : "";
}
