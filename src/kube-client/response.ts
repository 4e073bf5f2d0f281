import { type SubmitError, submitError } from "../errors/submit-error.ts";
import type { ApiResponse } from "../kube/transport.ts";
import { isFields } from "../values/fields.ts";
import type { Api, Exchange } from "./exchange.ts";
import { readText } from "./lines.ts";
import { type Shape, shapeProblem } from "./shape.ts";

/** Maximum size of a response, e.g. of a page with 500 objects. A single object has a few MiB: etcd stores at most 1.5 MiB. */
export const maxResponseBytes = 64 * 1024 * 1024;

/** Kinds of a JSON object, one of which it has if it names its kind, and its shape. */
export interface ExpectedObject {
  readonly kinds: readonly string[];
  readonly shape: Shape;
}

type Endpoint = Pick<Api, "server">;

/** Parses a response as JSON; its shape is not checked. @throws SUBMIT_ERR_KUBE_RESPONSE */
export async function readJson<T>(api: Endpoint, call: Exchange, response: ApiResponse): Promise<T> {
  const text = await readText(response.body, maxResponseBytes);
  if (text === undefined) throw malformedResponse(api, call, `it is longer than ${maxResponseBytes} bytes`);
  const value = parseJson<T>(text);
  if (value === undefined) throw malformedResponse(api, call, "it is not JSON, or it is cut off");
  return value;
}

/** Parses a response as an object. @throws SUBMIT_ERR_KUBE_RESPONSE */
export async function readResponse<T>(
  api: Endpoint,
  call: Exchange,
  response: ApiResponse,
  expected: ExpectedObject,
): Promise<T> {
  return requireObject(api, call, await readJson<T>(api, call, response), expected);
}

/** Returns an object that has the expected kind and shape. @throws SUBMIT_ERR_KUBE_RESPONSE */
export function requireObject<T>(api: Endpoint, call: Exchange, value: T, { kinds, shape }: ExpectedObject): T {
  const kind = isFields(value) ? value["kind"] : undefined;
  const isOther = typeof kind === "string" && kind !== "" && !kinds.includes(kind);
  const problem = isOther ? `it is a ${kind.slice(0, 63)}, not a ${kinds[0]}` : shapeProblem(value, shape, "");
  if (problem !== undefined) throw malformedResponse(api, call, problem);
  return value;
}

/** Builds SUBMIT_ERR_KUBE_RESPONSE. */
export function malformedResponse({ server }: Endpoint, { method, target }: Exchange, reason: string): SubmitError {
  return submitError("SUBMIT_ERR_KUBE_RESPONSE", { method, url: `${server}${target.split("?")[0]}`, reason });
}

// Drops the parser's message: it quotes the text, which may hold a secret.
function parseJson<T>(text: string): T | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
