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
import type { ChaosRule } from "./chaos-rule.ts";

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
  const { status } = statusOf(rule, request);
  if (rule.fault === "410" && request.attributes.verb === "watch") {
    const event = `${JSON.stringify({ type: "ERROR", object: status })}\n`;
    return { status: 200, headers: { "content-type": "application/json" }, body: bodyOf(event) };
  }
  const { retryAfterSeconds = rule.fault === "429" ? 1 : undefined, message = status.message } = rule;
  const details = retryAfterSeconds === undefined ? status.details : { ...status.details, retryAfterSeconds };
  return respondFailure(
    { ...status, message, ...(details === undefined ? {} : { details }) },
    { representation: json, warnings: [] },
  );
}

/** Builds a response that is not JSON, such as a proxy's log-in page. */
export function malformedResponse(): ApiResponse {
  const page = "<html><body>Log in</body></html>";
  return { status: 200, headers: { "content-type": "text/html" }, body: bodyOf(page) };
}

/** Builds the status of a fault, with the message of API server 1.35 if it has one. */
function statusOf({ fault }: ChaosRule, { user, attributes, kind, name }: RejectedRequest): StatusError {
  switch (fault) {
    case "401":
      return unauthorized();
    case "403":
      return denial(user, attributes, "");
    case "409":
      if (kind === undefined) return patchRejected();
      return attributes.verb === "create" ? alreadyExists(kind, name) : modified(kind, name);
    case "410":
      return expired("The resourceVersion for the provided watch is too old.");
    case "413":
      return tooLarge(bodyLimitBytes);
    case "422":
      return patchRejected();
    case "429":
      return tooManyRequests("Too many requests, please try again later.", {});
    case "503":
      return serviceUnavailable("the server is currently unable to handle the request");
    case "504":
      return timedOut();
    default:
      return internalErrorOf("etcdserver: request timed out");
  }
}

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
