import type { ResourceType } from "../../kube/resources.ts";
import type { FieldError } from "./validation/field-error.ts";

/** Why a request was refused, in the form that every Kubernetes client understands. */
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

/** Thrown to end a request with a refusal. */
export class StatusError extends Error {
  readonly status: FailureStatus;

  constructor(status: FailureStatus) {
    super(status.message);
    this.status = status;
  }
}

/** What a message names: a kind of the table, or a kind of options. */
export interface Named extends Pick<ResourceType, "group" | "kind" | "plural"> {
  /** The group in messages, where it is another. */
  readonly messageGroup?: string;
}

function failure(
  code: number,
  reason: string | undefined,
  message: string,
  details?: StatusDetails,
): StatusError {
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
  return failure(
    404,
    "NotFound",
    `${qualified(kind, kind.plural)} "${name}" not found`,
    detailsOf(kind, name),
  );
}

/** The path names nothing that this API serves. */
export function pathNotFound(): StatusError {
  return failure(404, "NotFound", "the server could not find the requested resource", {});
}

export function alreadyExists(kind: Named, name: string): StatusError {
  return failure(
    409,
    "AlreadyExists",
    `${qualified(kind, kind.plural)} "${name}" already exists`,
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

/** Somebody else wrote in between. */
export function modified(kind: Named, name: string): StatusError {
  const advice = "please apply your changes to the latest version and try again";
  return conflict(kind, name, `the object has been modified; ${advice}`);
}

/** Server-side apply would take fields from other managers. */
export function applyConflict(
  message: string,
  causes: readonly { message: string; field: string }[],
): StatusError {
  return failure(409, "Conflict", message, {
    causes: causes.map((cause) => ({ reason: "FieldManagerConflict", ...cause })),
  });
}

/** All that is wrong with an object; its message names each fault once. */
export function invalid(kind: Named, name: string, errors: readonly FieldError[]): StatusError {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const [only = ""] = texts;
  const shown = texts.length === 1 ? only : `[${texts.join(", ")}]`;
  return failure(
    422,
    "Invalid",
    `${qualified(kind, kind.kind)} ${JSON.stringify(name)} is invalid: ${shown}`,
    {
      ...(name === "" ? {} : { name }),
      ...(groupOf(kind) === "" ? {} : { group: groupOf(kind) }),
      ...(kind.kind === "" ? {} : { kind: kind.kind }),
      causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
    },
  );
}

/** A patch that does not fit the object. */
export function patchRejected(): StatusError {
  return failure(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

export function badRequest(message: string): StatusError {
  return failure(400, "BadRequest", message);
}

/** By an admission rule, for an object: `pods "p" is forbidden: …`. */
export function forbidden(
  kind: Named,
  name: string,
  message: string,
  causes?: StatusDetails["causes"],
): StatusError {
  const subject = qualified(kind, kind.plural);
  return failure(
    403,
    "Forbidden",
    `${subject}${name === "" ? "" : ` ${JSON.stringify(name)}`} is forbidden: ${message}`,
    detailsOf(kind, name, causes === undefined ? {} : { causes }),
  );
}

/** By authorisation, for a path that is no resource. */
export function pathForbidden(message: string): StatusError {
  return failure(403, "Forbidden", message, {});
}

export function unauthorized(): StatusError {
  return failure(401, "Unauthorized", "Unauthorized");
}

export function methodNotAllowed(): StatusError {
  return failure(
    405,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    {},
  );
}

const mediaTypes = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

export function notAcceptable(): StatusError {
  return failure(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${mediaTypes}`, {});
}

/** The media type is fine, but not the view that is asked for. */
export function viewNotAcceptable(): StatusError {
  return failure(406, "NotAcceptable", `only the following media types are accepted: ${mediaTypes}`);
}

/** The view does not fit what is to be shown. */
export function shapeNotAcceptable(message: string): StatusError {
  return failure(406, "NotAcceptable", message);
}

/** A stream can only be written object by object. */
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

export function tooLarge(limitBytes: number): StatusError {
  return failure(413, "RequestEntityTooLarge", `Request entity too large: limit is ${limitBytes}`);
}

/** A revision that is forgotten; `token` lets a list go on with newer objects. */
export function expired(message: string, token?: string): StatusError {
  const { status } = failure(410, "Expired", message);
  return new StatusError(token === undefined ? status : { ...status, metadata: { continue: token } });
}

/** A revision that is not reached yet. */
export function tooLargeRevision(wanted: number, current: number): StatusError {
  return failure(504, "Timeout", `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

/** The API took too long; whether it did what was asked for is not known. */
export function timedOut(): StatusError {
  return failure(504, "Timeout", "Timeout: request did not complete within the allotted duration", {});
}

export function tooManyRequests(message: string, details: StatusDetails): StatusError {
  return failure(429, "TooManyRequests", message, details);
}

/**
 * The disk does not take what was asked for; nothing of it was done. Kubernetes has no reason of its own for that: etcd's "database
 * space exceeded" comes as a 500.
 */
export function storageFull(folder: string, cause: string): StatusError {
  const text = `the cluster cannot write to ${folder}: ${cause}; nothing was changed. Make room there and try again`;
  // No time to try again: kubectl would wait ten times as long before it tells anything.
  return failure(507, "InsufficientStorage", text);
}

/** A pod that two budgets hold cannot be evicted at all. */
export function tooManyBudgets(): StatusError {
  const text = "which the eviction subresource does not support.";
  return failure(500, undefined, `This pod has more than one PodDisruptionBudget, ${text}`);
}

/** No pod answers. */
export function serviceUnavailable(message: string): StatusError {
  return failure(503, "ServiceUnavailable", message);
}

/** What failed on the way to a pod, in Kubernetes' words around the reason. */
export function internalErrorOf(reason: string): StatusError {
  return failure(500, "InternalError", `Internal error occurred: ${reason}`, {
    causes: [{ message: reason }],
  });
}

/** We failed; what went wrong stays with us. */
export function internalError(): StatusError {
  return failure(500, "InternalError", "Internal error occurred", {
    causes: [{ message: "the embedded API failed to answer this request" }],
  });
}
