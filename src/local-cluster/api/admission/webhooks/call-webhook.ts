import { messageOf } from "../../../../errors/message-of.ts";
import { goQuoted } from "../../../../values/go-quoted.ts";
import type { ApiScope } from "../../call.ts";
import { isArray, isObject, type JsonObject } from "../../json.ts";
import type { Kind } from "../../kinds/kind.ts";
import {
  badRequest,
  deniedByWebhook,
  internalErrorOf,
  requestExpired,
  type StatusDetails,
  type StatusError,
} from "../../status.ts";
import type { Webhook } from "../../webhook.ts";
import type { AdmissionRequest, AdmittedObjects } from "./admission-request.ts";
import { buildReview, type Decision, ReviewError, readReview } from "./review.ts";

/** A webhook that could not be called, or whose response is invalid. */
class WebhookFailure extends Error {}

interface WebhookInvocation {
  readonly type: "mutating" | "validating";
  readonly webhook: Webhook;
  /** Kind in whose version the webhook sees the objects. */
  readonly version: Kind;
  readonly request: AdmissionRequest;
  readonly objects: AdmittedObjects;
}

/**
 * Calls a webhook.
 *
 * @returns its patch; `undefined` if it allows the request unchanged, or fails and its failures are ignored
 * @throws StatusError 400 for a dry run that it does not support, 500 if it fails, 504 if the request expires, or its own status
 *   if it denies the request
 */
export async function callWebhook(api: ApiScope, invocation: WebhookInvocation): Promise<Decision["patch"]> {
  const { webhook, request } = invocation;
  const { name, sideEffects, failurePolicy } = webhook;
  if (request.dryRun && sideEffects !== "None" && sideEffects !== "NoneOnDryRun")
    throw badRequest(`admission webhook ${goQuoted(name)} does not support dry run`);
  try {
    const { isAllowed, warnings, status, patch } = await fetchDecision(api, invocation);
    request.warnings.push(...warnings);
    if (!isAllowed) throw denial(name, status);
    return patch;
  } catch (error) {
    if (!(error instanceof WebhookFailure)) throw error;
    if (failurePolicy !== "Ignore") throw internalErrorOf(`failed calling webhook ${goQuoted(name)}: ${error.message}`);
    if (remainingMs(api, request) <= 0 || request.signal?.aborted === true) throw requestExpired();
    return undefined;
  }
}

async function fetchDecision(api: ApiScope, invocation: WebhookInvocation): Promise<Decision> {
  const { type, webhook, version, request, objects } = invocation;
  const uid = api.random.uuid();
  const review = JSON.stringify(buildReview(request, objects, { uid, version }));
  const timeoutMs = Math.min((webhook.timeoutSeconds ?? 10) * 1000, remainingMs(api, request));
  if (timeoutMs <= 0) throw requestExpired();
  const { signal } = request;
  const text = await api.webhooks
    .send({ address: webhook.clientConfig, review, timeoutMs, signal })
    .catch((error: unknown) => {
      throw new WebhookFailure(messageOf(error));
    });
  try {
    return readReview(text, { uid, type });
  } catch (error) {
    if (!(error instanceof ReviewError)) throw error;
    throw new WebhookFailure(error.message);
  }
}

function remainingMs({ clock }: ApiScope, { expires }: AdmissionRequest): number {
  return expires === undefined ? Number.POSITIVE_INFINITY : expires - clock.now();
}

function denial(webhook: string, status: JsonObject): StatusError {
  const { message, reason, code, details } = status;
  const explanation = [message, reason].find((text) => typeof text === "string" && text !== "");
  const denied = `admission webhook ${goQuoted(webhook)} denied the request`;
  return deniedByWebhook({
    message: explanation === undefined ? `${denied} without explanation` : `${denied}: ${explanation}`,
    ...(typeof reason === "string" && reason !== "" ? { reason } : {}),
    ...(isObject(details) ? { details: detailsOf(details) } : {}),
    code: typeof code === "number" && Number.isInteger(code) && code >= 400 && code <= 599 ? code : 400,
  });
}

function detailsOf(details: JsonObject): StatusDetails {
  const { causes, retryAfterSeconds } = details;
  return {
    ...texts(details, ["name", "group", "kind", "uid"]),
    ...(isArray(causes)
      ? { causes: causes.filter(isObject).map((cause) => texts(cause, ["reason", "message", "field"])) }
      : {}),
    ...(typeof retryAfterSeconds === "number" ? { retryAfterSeconds } : {}),
  };
}

function texts<T extends string>(object: JsonObject, fields: readonly T[]): { readonly [Field in T]?: string } {
  const found: { [Field in T]?: string } = {};
  for (const field of fields) {
    const value = object[field];
    if (typeof value === "string") found[field] = value;
  }
  return found;
}
