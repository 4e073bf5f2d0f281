import { messageOf } from "../../../errors/message-of.ts";
import type { StopSignal } from "../../../errors/stop-signal.ts";
import type { Random } from "../../../host/host.ts";
import type { JsonObject } from "../json.ts";
import type { VersionTarget } from "../kinds/custom-format.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Draft } from "../object.ts";
import { conversionFailed, type StatusError } from "../status.ts";
import { type Steps, waitFor } from "../steps.ts";
import { WebhookCallError, type WebhookClient } from "../webhook-client.ts";
import { buildConversionReview, ConversionError, readConversionReview } from "./conversion-review.ts";

/** Services that a conversion uses. */
interface WebhookScope {
  readonly random: Random;
  readonly webhooks: Pick<WebhookClient, "send">;
}

/** Objects of another version that a webhook must convert before an action can use them. */
export class UnconvertedError extends Error {
  readonly objects: readonly JsonObject[];

  constructor(objects: readonly JsonObject[]) {
    super("a webhook must convert objects first");
    this.objects = objects;
  }
}

/** Whether an object is usable in a version: it has that version, or a webhook has converted it. */
export function isUsable({ apiVersion, results }: VersionTarget, object: JsonObject): boolean {
  return object["apiVersion"] === apiVersion || results.has(object);
}

/** Returns an object in a version. @throws UnconvertedError */
export function convertedObject({ apiVersion, results }: VersionTarget, object: JsonObject): JsonObject {
  if (object["apiVersion"] === apiVersion) return object;
  const found = results.get(object);
  if (found === undefined) throw new UnconvertedError([object]);
  return found;
}

/** Time after which a conversion fails. Source: Kubernetes 1.35, webhook_converter.go. */
const timeoutMs = 30_000;

/** Length of the objects of one review; larger lists are converted in several. A webhook's response has a limit, too. */
const maxReviewLength = 4 * 1024 * 1024;

interface ConversionRequest {
  readonly objects: readonly JsonObject[];
  readonly signal?: StopSignal | undefined;
}

/** Has objects of other versions converted by the webhook of their definition. Rejects with StatusError 500. */
export async function convertObjects(
  api: WebhookScope,
  target: VersionTarget,
  { objects, signal }: ConversionRequest,
): Promise<void> {
  const others = objects.filter((object) => object["apiVersion"] !== target.apiVersion);
  for (const batch of batchesOf(others)) {
    const converted = await fetchConverted(api, target, { objects: batch, signal });
    for (const [index, object] of batch.entries()) {
      const result = converted[index];
      if (result !== undefined) target.results.set(object, target.complete(result));
    }
  }
}

function batchesOf(objects: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const batches: JsonObject[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const object of objects) {
    const own = JSON.stringify(object).length;
    length += own;
    if (length > maxReviewLength) {
      batches.push([]);
      length = own;
    }
    batches.at(-1)?.push(object);
  }
  return batches;
}

async function fetchConverted(
  { random, webhooks }: WebhookScope,
  { apiVersion, address }: VersionTarget,
  { objects, signal }: ConversionRequest,
): Promise<readonly JsonObject[]> {
  const reviewed = { uid: random.uuid(), objects, apiVersion };
  const review = JSON.stringify(buildConversionReview(reviewed));
  const text = await webhooks.send({ address, review, timeoutMs, signal }).catch((error: unknown) => {
    throw failureOf(objects, error instanceof WebhookCallError ? error.reason : messageOf(error));
  });
  try {
    return readConversionReview(text, reviewed);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    throw failureOf(objects, error.message);
  }
}

function failureOf([object = {}]: readonly JsonObject[], reason: string): StatusError {
  const { apiVersion = "", kind = "" } = object;
  return conversionFailed(`conversion webhook for ${apiVersion}, Kind=${kind} failed: ${reason}`);
}

/** Has a new or changed object converted to the version in which it is stored. @throws StatusError 500 */
export function* convertToStored(
  api: WebhookScope,
  { kind, signal }: { readonly kind: Kind; readonly signal: StopSignal | undefined },
  draft: Draft,
): Steps<void> {
  const stored = kind.custom?.conversion.webhook?.stored;
  if (stored === undefined || draft["apiVersion"] === stored.apiVersion) return;
  yield* waitFor(convertObjects(api, stored, { objects: [draft], signal }));
}
