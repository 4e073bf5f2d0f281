import type { ApiResponse } from "../../kube/transport.ts";
import { denial } from "../api/access/authenticate.ts";
import type { RequestAttributes } from "../api/access/authorize.ts";
import type { User } from "../api/access/user.ts";
import type { Kind } from "../api/kinds/kind.ts";
import {
  alreadyExists,
  expired,
  internalErrorOf,
  modified,
  patchRejected,
  type StatusError,
  serviceUnavailable,
  timedOut,
  tooLarge,
  tooManyRequests,
  unauthorized,
} from "../api/status.ts";
import { bodyLimitBytes } from "../api/wire/body.ts";
import { respondFailure } from "../api/wire/respond.ts";
import type { ChaosRule, FaultName } from "./chaos-rule.ts";

/** The request that an injected error is about. */
export interface RejectedRequest {
  readonly user: User;
  readonly attributes: RequestAttributes;
  /** `undefined` for a path that is not a resource. */
  readonly kind: Kind | undefined;
  /** Name of the object, from the URL or the body. */
  readonly name: string;
}

const json = { media: "json", view: "object", version: "v1" } as const;

/** Builds the response that replaces the API's. */
export function errorResponse(rule: ChaosRule, request: RejectedRequest): ApiResponse {
  const { status } = statuses[rule.fault]?.(request) ?? internalErrorOf("etcdserver: request timed out");
  if (rule.fault === "410" && request.attributes.verb === "watch") {
    const event = `${JSON.stringify({ type: "ERROR", object: status })}\n`;
    return { status: 200, headers: { "content-type": "application/json" }, body: bodyOf(event) };
  }
  const { retryAfterSeconds = rule.fault === "429" ? 1 : undefined, message = status.message } = rule;
  const details = retryAfterSeconds === undefined ? status.details : { ...status.details, retryAfterSeconds };
  const changed = { ...status, message, ...(details === undefined ? {} : { details }) };
  return respondFailure(changed, { representation: json, warnings: [] });
}

/** Builds a response that is not JSON, such as a proxy's log-in page. */
export function malformedResponse(): ApiResponse {
  const page = "<html><body>Log in</body></html>";
  return { status: 200, headers: { "content-type": "text/html" }, body: bodyOf(page) };
}

/** Statuses of the faults that Kubernetes has a message for, with the message of API server 1.35. */
const statuses: { readonly [F in FaultName]?: (request: RejectedRequest) => StatusError } = {
  "401": () => unauthorized(),
  "403": ({ user, attributes }) => denial(user, attributes, ""),
  "409": ({ kind, name, attributes }) => {
    if (kind === undefined) return patchRejected();
    return attributes.verb === "create" ? alreadyExists(kind, name) : modified(kind, name);
  },
  "410": () => expired("The resourceVersion for the provided watch is too old."),
  "413": () => tooLarge(`limit is ${bodyLimitBytes}`),
  "422": () => patchRejected(),
  "429": () => tooManyRequests("Too many requests, please try again later.", {}),
  "503": () => serviceUnavailable("the server is currently unable to handle the request"),
  "504": () => timedOut(),
};

/** Yields a text as the only chunk of a body. */
export async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
