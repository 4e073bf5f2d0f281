import type { ApiResponse } from "../kube/transport.ts";
import { isFields } from "../values/fields.ts";
import type { Api, Exchange } from "./exchange.ts";
import { readBeginning } from "./lines.ts";
import { malformedResponse } from "./malformed-response.ts";
import { requireObject } from "./require-object.ts";

/** Maximum size of a response, e.g. of a page with 500 objects. A single object has a few MiB: etcd stores at most 1.5 MiB. */
const maxResponseBytes = 64 * 1024 * 1024;

type Endpoint = Pick<Api, "server">;

/** Parses a response as JSON; its shape is not checked. @throws SUBMIT_ERR_KUBE_RESPONSE */
export async function readJson<T>(api: Endpoint, call: Exchange, response: ApiResponse): Promise<T> {
  return parseResponse(api, call, (await readBytes(api, call, response)).toString("utf8"));
}

/** Reads the bytes of a response. @throws SUBMIT_ERR_KUBE_RESPONSE */
export async function readBytes(api: Endpoint, call: Exchange, { body }: ApiResponse): Promise<Buffer> {
  const { bytes, isComplete } = await readBeginning(body, maxResponseBytes);
  if (!isComplete) throw malformedResponse(api, call, `it is longer than ${maxResponseBytes} bytes`);
  return bytes;
}

/** Parses a response as JSON; its shape is not checked. @throws SUBMIT_ERR_KUBE_RESPONSE */
export function parseResponse<T>(api: Endpoint, call: Exchange, text: string): T {
  const value = parseJson<T>(text);
  if (value === undefined) throw malformedResponse(api, call, "it is not JSON, or it is cut off");
  return value;
}

/** Parses the response to a change of an object. Usually checks only its metadata, which needs less code. @throws SUBMIT_ERR_KUBE_RESPONSE */
export async function readChanged<T>(api: Endpoint, call: Exchange, response: ApiResponse): Promise<T> {
  const value = await readJson<T>(api, call, response);
  return hasPlainMetadata(value, call.type.kind) ? value : requireObject(api, call, value);
}

function hasPlainMetadata(value: unknown, expectedKind: string): boolean {
  if (!isFields(value)) return false;
  const { kind, metadata } = value;
  if (kind !== expectedKind || !isFields(metadata)) return false;
  const { uid, managedFields = [], ownerReferences = [] } = metadata;
  const isList = (list: unknown) => Array.isArray(list) && list.every(isFields);
  return typeof uid === "string" && isList(managedFields) && isList(ownerReferences);
}

// Drops the parser's message: it quotes the text, which may hold a secret.
function parseJson<T>(text: string): T | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
