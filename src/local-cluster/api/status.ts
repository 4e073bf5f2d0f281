import type { ResourceType } from "../../kube/resources.ts";
import type { FieldError } from "./validation/field-error.ts";

/** The status of a failed request, as all Kubernetes clients read it. */
export type FailureStatus = {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: object;
  readonly status: "Failure";
  readonly message: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  /** The HTTP status. */
  readonly code: number;
};

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly {
    readonly reason?: string;
    readonly message?: string;
    readonly field?: string;
  }[];
  readonly retryAfterSeconds?: number;
}

/** Ends a request with a failure status. */
export class StatusError extends Error {
  readonly status: FailureStatus;

  constructor(status: FailureStatus) {
    super(status.message);
    this.status = status;
  }
}

/** A kind that a message names: one of the table of kinds, or one of options. */
export interface Named extends Pick<ResourceType, "group" | "kind" | "plural"> {
  /** The group in messages. @default `group` */
  readonly messageGroup?: string;
}

function failure(code: number, reason: string | undefined, message: string, details?: StatusDetails): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

/** `pods`, or `statefulsets.apps`. */
function qualified(kind: Named, name: string): string {
  const group = groupOf(kind);
  return group === "" ? name : `${name}.${group}`;
}

function groupOf({ group, messageGroup }: Named): string {
  return messageGroup ?? group;
}

function detailsOf(kind: Named, name: string, more: Partial<StatusDetails> = {}): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(groupOf(kind) === "" ? {} : { group: groupOf(kind) }),
    kind: kind.plural,
    ...more,
  };
}

export function notFound(kind: Named, name: string): StatusError {
  return failure(404, "NotFound", `${qualified(kind, kind.plural)} "${name}" not found`, detailsOf(kind, name));
}

/** Builds the 404 status for a path that this API does not serve. */
export function pathNotFound(): StatusError {
  return failure(404, "NotFound", "the server could not find the requested resource", {});
}

export function alreadyExists(
  kind: Named,
  name: string,
  { isTerminating = false }: { readonly isTerminating?: boolean } = {},
): StatusError {
  const text = `${qualified(kind, kind.plural)} "${name}" already exists`;
  return failure(
    409,
    "AlreadyExists",
    isTerminating ? `object is being deleted: ${text}` : text,
    detailsOf(kind, name),
  );
}

export function conflict(kind: Named, name: string, message: string): StatusError {
  return failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${qualified(kind, kind.plural)} "${name}": ${message}`,
    detailsOf(kind, name),
  );
}

/** Builds the 409 status for an object that changed since the client read it. */
export function modified(kind: Named, name: string): StatusError {
  const advice = "please apply your changes to the latest version and try again";
  return conflict(kind, name, `the object has been modified; ${advice}`);
}

/** Builds the 409 status for server-side apply on fields of other managers. */
export function applyConflict(message: string, causes: readonly { message: string; field: string }[]): StatusError {
  return failure(409, "Conflict", message, {
    causes: causes.map((cause) => ({ reason: "FieldManagerConflict", ...cause })),
  });
}

/** Maximum number of reported errors. Kubernetes gives up after 34 s, in which it does not combine more. */
const maxErrors = 10_000;

/** Builds the 422 status with the errors of an object. The message contains each error once. */
export function invalid(kind: Named, name: string, all: readonly FieldError[]): StatusError {
  const errors = all.slice(0, maxErrors);
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  if (all.length > maxErrors) texts.push(`and ${all.length - maxErrors} more errors`);
  const [only = ""] = texts;
  const shown = texts.length === 1 ? only : `[${texts.join(", ")}]`;
  return failure(422, "Invalid", `${qualified(kind, kind.kind)} ${JSON.stringify(name)} is invalid: ${shown}`, {
    ...(name === "" ? {} : { name }),
    ...(groupOf(kind) === "" ? {} : { group: groupOf(kind) }),
    ...(kind.kind === "" ? {} : { kind: kind.kind }),
    causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
  });
}

/** Builds the 422 status for a patch that does not fit the object. */
export function patchRejected(): StatusError {
  return failure(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

export function badRequest(message: string): StatusError {
  return failure(400, "BadRequest", message);
}

/** Builds the 403 status of an admission rule for an object: `pods "p" is forbidden: …`. */
export function forbidden(kind: Named, name: string, message: string, causes?: StatusDetails["causes"]): StatusError {
  const subject = qualified(kind, kind.plural);
  return failure(
    403,
    "Forbidden",
    `${subject}${name === "" ? "" : ` ${JSON.stringify(name)}`} is forbidden: ${message}`,
    detailsOf(kind, name, causes === undefined ? {} : { causes }),
  );
}

/** Builds the 403 status of authorization for a path that is not a resource. */
export function pathForbidden(message: string): StatusError {
  return failure(403, "Forbidden", message, {});
}

export function unauthorized(): StatusError {
  return failure(401, "Unauthorized", "Unauthorized");
}

export function methodNotAllowed(): StatusError {
  return failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}

const mediaTypes = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

export function notAcceptable(): StatusError {
  return failure(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${mediaTypes}`, {});
}

/** Builds the 406 status for a supported media type with an unsupported view. */
export function viewNotAcceptable(): StatusError {
  return failure(406, "NotAcceptable", `only the following media types are accepted: ${mediaTypes}`);
}

/** Builds the 406 status for a view that does not fit the object. */
export function shapeNotAcceptable(message: string): StatusError {
  return failure(406, "NotAcceptable", message);
}

/** Builds the 406 status for a watch in a format that cannot be streamed. */
export function streamNotAcceptable(): StatusError {
  const types = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
  return failure(406, "NotAcceptable", `only the following media types are accepted: ${types}`);
}

export function unsupportedMediaType(): StatusError {
  return failure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${mediaTypes}`,
  );
}

export function unsupportedPatchType(): StatusError {
  return failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
}

/** Builds the 415 status for a patch that custom resources do not support. */
export function unsupportedCustomPatchType(): StatusError {
  const types = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
  return failure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${types}`,
  );
}

/** Builds the 413 status. @param limit the exceeded limit, e.g. `limit is 3145728` */
export function tooLarge(limit: string): StatusError {
  return failure(413, "RequestEntityTooLarge", `Request entity too large: ${limit}`);
}

/**
 * Builds the 410 status for a revision that is no longer stored. With `token`, a client can continue its list with newer objects.
 */
export function expired(message: string, token?: string): StatusError {
  const { status } = failure(410, "Expired", message);
  return new StatusError(token === undefined ? status : { ...status, metadata: { continue: token } });
}

/** Builds the 504 status for a revision in the future. */
export function tooLargeRevision(requested: number, current: number): StatusError {
  return failure(504, "Timeout", `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

/** Builds the 504 status for a request that timed out; whether it took effect is not known. */
export function timedOut(): StatusError {
  return failure(504, "Timeout", "Timeout: request did not complete within the allotted duration", {});
}

/** Builds the 504 status for a request that expired before it was stored. */
export function requestExpired(): StatusError {
  return failure(504, "Timeout", "Timeout: request did not complete within requested timeout", {});
}

/** Builds the status of a webhook that denies a request. */
export function deniedByWebhook({ code, reason, message, details }: WebhookDenial): StatusError {
  return failure(code, reason, message, details);
}

interface WebhookDenial extends Pick<FailureStatus, "code" | "reason" | "message" | "details"> {}

export function tooManyRequests(message: string, details: StatusDetails): StatusError {
  return failure(429, "TooManyRequests", message, details);
}

/**
 * Builds the 507 status for a write that the disk rejects; nothing was changed. Kubernetes has no reason for that: etcd's
 * "database space exceeded" is reported as 500.
 */
export function storageFull(directory: string, cause: string): StatusError {
  const text = `the cluster cannot write to ${directory}: ${cause}; nothing was changed. Free space there and retry`;
  // No retryAfterSeconds: kubectl would wait ten times as long before it prints the message.
  return failure(507, "InsufficientStorage", text);
}

/** Builds the 500 status for an object that is too large to be stored: Kubernetes returns etcd's error. */
export function storageRequestTooLarge(): StatusError {
  return failure(500, undefined, "etcdserver: request is too large");
}

/** Builds the 500 status for the eviction of a pod that several disruption budgets select. */
export function tooManyBudgets(): StatusError {
  const text = "which the eviction subresource does not support.";
  return failure(500, undefined, `This pod has more than one PodDisruptionBudget, ${text}`);
}

/** Builds the 503 status for a proxied pod that does not respond. */
export function serviceUnavailable(message: string): StatusError {
  return failure(503, "ServiceUnavailable", message);
}

/** Builds the 500 status for a failed connection to a pod, with Kubernetes' text around the reason. */
export function internalErrorOf(reason: string): StatusError {
  return failure(500, "InternalError", `Internal error occurred: ${reason}`, {
    causes: [{ message: reason }],
  });
}

/** Builds the 500 status for objects that a webhook has not converted. As in Kubernetes, it has no reason. */
export function conversionFailed(message: string): StatusError {
  return failure(500, undefined, message);
}

/** Builds the 500 status for a failure of the embedded API itself, without its details. */
export function internalError(): StatusError {
  return failure(500, "InternalError", "Internal error occurred", {
    causes: [{ message: "the embedded API failed to process this request" }],
  });
}
