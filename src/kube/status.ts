import { type Issue, issue } from "../errors/issue.ts";
import { isSubmitError } from "../errors/submit-error.ts";
import { forbiddenCode } from "./forbidden-code.ts";
import type { ResourceType } from "./resources.ts";
import type { ApiRequest } from "./transport.ts";
import type { Status } from "./types.ts";

/** The rejected API call, for messages. */
export interface ApiCall {
  /** As RBAC names it: get, list, watch, create, patch, delete. */
  readonly verb: string;
  readonly method: ApiRequest["method"];
  /** Without query. */
  readonly path: string;
  /** E.g. `https://10.0.0.1:6443`. */
  readonly server: string;
  readonly type: ResourceType;
  /** E.g. `log`. */
  readonly subresource?: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** Parses the body of an error response. Builds a Status from other text, such as the page of a proxy. */
export function parseStatus(httpStatus: number, text: string): Status {
  const sent = statusObject(text);
  const message = sent?.message ?? (oneLine(text) || `HTTP status ${httpStatus}`);
  return { ...sent, message, code: sent?.code ?? httpStatus };
}

/**
 * The issue that a refused call amounts to; the only place where HTTP statuses become codes.
 *
 * Source: Kubernetes API conventions, "HTTP Status codes"; the wording is that of Spark's client library.
 */
export function rejectionIssue(call: ApiCall, httpStatus: number, status: Status): Issue {
  const { method, server, verb, namespace, name } = call;
  const message = (status.message ?? "").replace(/\.$/, "");
  const refused = { method, url: `${server}${call.path}`, server, message };
  const resource = resourceName(call);
  switch (httpStatus) {
    case 401:
      return issue("SUBMIT_ERR_KUBE_UNAUTHORIZED", refused);
    case 403:
      return issue(forbiddenCode(status), { ...refused, verb, resource, namespace });
    case 404: {
      const missingNamespace = isAboutNamespace(status, namespace) ? namespace : undefined;
      const missingKind = isAboutKind(call, status) ? resource : undefined;
      return issue("SUBMIT_ERR_KUBE_NOT_FOUND", { ...refused, missingNamespace, missingKind });
    }
    case 407: {
      // Only a transparent proxy can respond with 407 here: a configured proxy has already accepted the connection.
      const reason = `it responded with 407: ${message}`;
      return issue("SUBMIT_ERR_KUBE_PROXY_FAILED", { proxy: "on the way", server, reason, status: 407 });
    }
    case 409: {
      const existing = status.reason === "AlreadyExists" ? (name ?? status.details?.name) : undefined;
      return issue("SUBMIT_ERR_KUBE_CONFLICT", { ...refused, resource, existing, namespace });
    }
    case 413:
      return issue("SUBMIT_ERR_KUBE_TOO_LARGE", refused);
    case 422:
      return issue("SUBMIT_ERR_KUBE_INVALID", refused);
    default:
      return issue("SUBMIT_ERR_KUBE_REJECTED", { ...refused, status: httpStatus });
  }
}

/** The API's own Status behind an error; `undefined` when the error is of another origin. */
export function statusOf(error: unknown): Status | undefined {
  if (!isSubmitError(error)) return undefined;
  return isObject(error.cause) && typeof error.cause["code"] === "number" ? error.cause : undefined;
}

function resourceName({ type, subresource }: ApiCall): string {
  const plural = subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
  return type.group === "" ? plural : `${plural}.${type.group}`;
}

function isAboutNamespace({ details, message = "" }: Status, namespace: string | undefined): boolean {
  if (namespace === undefined) return false;
  if (details?.kind === "namespaces") return details.name === namespace;
  return message.startsWith(`namespaces "${namespace}" not found`);
}

/** Returns whether a 404 means an unknown custom kind: creating an object fails so only without the kind, and custom groups have a dot. */
function isAboutKind({ verb, type }: ApiCall, { details }: Status): boolean {
  const creates = verb === "create" || verb === "patch";
  return creates && details?.name === undefined && /\./.test(type.group) && !type.group.endsWith(".k8s.io");
}

function statusObject(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value["kind"] !== "Status") return undefined;
    const { message, code, reason, details, ...rest } = value;
    return {
      ...rest,
      ...(typeof message === "string" ? { message: message.slice(0, maxMessageChars) } : {}),
      ...(typeof code === "number" ? { code } : {}),
      ...(typeof reason === "string" ? { reason } : {}),
      ...(isObject(details) ? { details: detailsOf(details) } : {}),
    };
  } catch {
    return undefined;
  }
}

/** Keeps the details that have their type. */
function detailsOf({ kind, name, ...rest }: Readonly<Record<string, unknown>>): NonNullable<Status["details"]> {
  return {
    ...rest,
    ...(typeof kind === "string" ? { kind } : {}),
    ...(typeof name === "string" ? { name } : {}),
  };
}

/** Maximum length of a message. Those of API servers have a few KiB, because they list all invalid fields. */
const maxMessageChars = 32_768;

function oneLine(text: string): string {
  return text
    .slice(0, maxMessageChars)
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 300);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
