import { goQuoted } from "../../../../values/go-quoted.ts";
import type { ApiScope } from "../../call.ts";
import { isObject, isSame, type JsonObject } from "../../json.ts";
import type { Kind } from "../../kinds/kind.ts";
import { PatchError } from "../../patches/json-patch.ts";
import { internalErrorOf, StatusError } from "../../status.ts";
import { type Steps, waitFor } from "../../steps.ts";
import type { AdmissionRequest, AdmittedObjects, ObjectFormat } from "./admission-request.ts";
import { callWebhook } from "./call-webhook.ts";
import { type ConfiguredWebhook, configuredWebhooks, versionFor } from "./configured-webhooks.ts";
import { convertForWebhook } from "./convert-objects.ts";
import type { Decision } from "./review.ts";

/** Objects of a request, and the built-in admission that completes a new one. */
interface Mutation<T extends JsonObject> extends AdmittedObjects<T> {
  readonly object: T;
  /** Completes the object in place. It is called again if webhooks have changed the object. */
  readonly complete?: (object: T) => void;
}

/**
 * Completes an object, then calls the mutating webhooks, one after the other. If they change it, completes it again and calls
 * those that require that once more.
 *
 * @returns the object: the same one if no webhook changes it
 * @throws StatusError if it is rejected
 */
export function* mutate<T extends JsonObject>(
  api: ApiScope,
  request: AdmissionRequest,
  { complete = () => {}, ...objects }: Mutation<T>,
): Steps<T> {
  complete(objects.object);
  const webhooks = configuredWebhooks(api.store, "mutating", request);
  if (webhooks.length === 0) return objects.object;
  const rounds: Rounds = { invoked: new Set(), due: new Set(), isChanged: false };
  const first = yield* callInOrder(api, request, { webhooks, rounds, objects });
  if (!rounds.isChanged) return first;
  const completed = structuredClone(first);
  complete(completed);
  if (!isSame(completed, first)) makeDue(rounds);
  const again = webhooks.filter(({ id }) => rounds.due.has(id));
  return yield* callInOrder(api, request, { webhooks: again, rounds, objects: { ...objects, object: completed } });
}

/** The webhooks that have been called, and that must be called again. */
interface Rounds {
  /** Webhooks that were called since the last change and may be called again. */
  readonly invoked: Set<string>;
  /** Webhooks to call again. */
  readonly due: Set<string>;
  isChanged: boolean;
}

function makeDue({ invoked, due }: Rounds): void {
  for (const id of invoked) due.add(id);
  invoked.clear();
}

interface OrderedCalls<T extends JsonObject> {
  readonly webhooks: readonly ConfiguredWebhook[];
  readonly rounds: Rounds;
  readonly objects: AdmittedObjects<T> & { readonly object: T };
}

function* callInOrder<T extends JsonObject>(
  api: ApiScope,
  request: AdmissionRequest,
  { webhooks, rounds, objects }: OrderedCalls<T>,
): Steps<T> {
  let { object } = objects;
  for (const configured of webhooks) {
    const current = { ...objects, object };
    const version = versionFor(api, configured, { request, objects: current });
    if (version === undefined) continue;
    const { webhook, id } = configured;
    yield* convertForWebhook(api, current, version);
    const patch = yield* waitFor(callWebhook(api, { type: "mutating", webhook, version, request, objects: current }));
    const { format } = objects;
    const changed =
      patch === undefined
        ? object
        : yield* inRequestedVersion(api, request, {
            before: object,
            format,
            object: patched(patch, { object, version, format }),
          });
    if (!isSame(changed, object)) {
      makeDue(rounds);
      rounds.isChanged = true;
    }
    object = changed;
    if (webhook.reinvocationPolicy === "IfNeeded") rounds.invoked.add(id);
  }
  return object;
}

interface Patching<T extends JsonObject> {
  readonly object: T;
  readonly version: Kind;
  readonly format: ObjectFormat<T>;
}

/** Applies a webhook's patch. @throws StatusError 500 if it does not fit or the result is not valid */
function patched<T extends JsonObject>(
  patch: NonNullable<Decision["patch"]>,
  { object, version, format }: Patching<T>,
): T {
  const before = format.print(object, version);
  try {
    const document = patch(before);
    if (!isObject(document)) throw new PatchError("the result is not an object");
    const { apiVersion, kind } = document;
    if (apiVersion !== before["apiVersion"] || kind !== before["kind"])
      throw new PatchError(`the result is of kind ${goQuoted(`${apiVersion}, Kind=${kind}`)}`);
    return format.parse(document, version);
  } catch (error) {
    if (error instanceof PatchError || error instanceof StatusError) throw internalErrorOf(error.message);
    throw error;
  }
}

interface Patched<T extends JsonObject> {
  /** The object that a webhook has changed, in the version that the webhook requests. */
  readonly object: T;
  readonly before: T;
  readonly format: ObjectFormat<T>;
}

/** Returns a changed object in the version of the request. */
function* inRequestedVersion<T extends JsonObject>(
  api: ApiScope,
  { kind }: AdmissionRequest,
  { object, before, format }: Patched<T>,
): Steps<T> {
  const pending = format.convert?.(api, kind, [object]);
  if (pending === undefined) return Object.assign(object, { apiVersion: before["apiVersion"] });
  yield* waitFor(pending);
  return format.parse(format.print(object, kind), kind);
}

/** Calls the mutating webhooks of a request without a new object, such as DELETE. @throws StatusError if it is rejected */
export function* mutateNothing(api: ApiScope, request: AdmissionRequest, objects: AdmittedObjects): Steps<void> {
  for (const configured of configuredWebhooks(api.store, "mutating", request)) {
    const version = versionFor(api, configured, { request, objects });
    if (version === undefined) continue;
    const { webhook } = configured;
    yield* convertForWebhook(api, objects, version);
    const patch = yield* waitFor(callWebhook(api, { type: "mutating", webhook, version, request, objects }));
    const name = goQuoted(webhook.name);
    const text = `admission webhook ${name} attempted to modify the object, which is not supported for this operation`;
    if (patch !== undefined) throw internalErrorOf(text);
  }
}
