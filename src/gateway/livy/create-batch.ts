import { livyTagSettings } from "../../conf/entries/livy.ts";
import { type Fields, isFields } from "../../values/fields.ts";
import { exceededJsonLimit } from "../../values/json-limits.ts";
import type { GatewayResponse } from "../http/gateway-request.ts";
import { type NewApplication, retryAfterSeconds, type SubmitResult } from "../model/applications.ts";
import type { LivySettings } from "../settings.ts";
import { batchJson, knownLogTail } from "./batch-json.ts";
import { type BatchRequest, parseBatchRequest } from "./batch-request.ts";
import type { LivyCall, LivyRequest } from "./livy-call.ts";
import { batchTag, mapBatch } from "./new-batch.ts";
import { impersonate } from "./permissions.ts";
import { json, message } from "./responses.ts";

const jsonLimits = { maxDepth: 20, maxValues: 100_000, maxNameBytes: 4096 };
const maxKeyLength = 255;
const tagBytes = 8;
const tooManyCreations = "Rejected, too many sessions are being created!";

/** Creates a batch with the permissions of its request. */
export type CreateBatch = (call: LivyCall, request: LivyRequest) => Promise<GatewayResponse>;

/** Returns the function that creates batches, and rejects those beyond the number that the settings allow at the same time. */
export function batchCreator({ maxCreations }: LivySettings): CreateBatch {
  let running = 0;
  return async (call, request) => {
    if (maxCreations !== undefined && running >= maxCreations)
      return message(429, tooManyCreations, { "retry-after": String(retryAfterSeconds) });
    running += 1;
    try {
      return await createBatch(call, request);
    } finally {
      running -= 1;
    }
  };
}

async function createBatch(call: LivyCall, request: LivyRequest): Promise<GatewayResponse> {
  const parsed = parseBody(request.headers["content-type"], await request.readBody());
  if (!parsed.ok) return message(400, parsed.message);
  const { request: batch, problems } = parseBatchRequest(parsed.body);
  const mapped = mapBatch(batch, call.rules);
  const key = request.headers["idempotency-key"];
  const idempotencyKey = typeof key === "string" && key !== "" ? key : undefined;
  const all = [
    ...mapped.problems,
    ...problems,
    ...((idempotencyKey?.length ?? 0) > maxKeyLength
      ? [`The header Idempotency-Key has more than ${maxKeyLength} characters.`]
      : []),
  ];
  if (all.length > 0) return rejected(all);
  const target = call.settings.isImpersonating
    ? (request.doAs ?? batch.proxyUser ?? request.principal.user)
    : undefined;
  const acting = target === undefined ? undefined : impersonate(request.principal.user, target, call.settings);
  if (acting?.ok === false) return message(403, acting.message);
  const { submission } = mapped;
  const application: NewApplication = {
    ...{ protocol: "livy", name: batch.name, owner: request.principal.user, proxyUser: target, queue: batch.queue },
    submission: {
      ...submission,
      fields: { ...submission.fields, ...(target !== undefined && { proxyUser: target }) },
    },
    traceparent: request.traceparent,
    ...{ idempotencyKey, hasUniqueName: batch.name !== undefined, isNameReusable: call.settings.reusesNames },
    toleratedIssues: ["SUBMIT_ERR_MAIN_CLASS_UNREADABLE", "SUBMIT_ERR_MAIN_CLASS_MISSING"],
    settingsWithId: (id) => livyTagSettings(batchTag(id, call.random.bytes(tagBytes)), call.uiRoot),
  };
  return respondTo(await call.applications.submit(application), { call, batch });
}

function respondTo(
  result: SubmitResult,
  { call, batch }: { readonly call: LivyCall; readonly batch: BatchRequest },
): GatewayResponse {
  switch (result.kind) {
    case "accepted":
    case "repeated": {
      const { application } = result;
      const location = `${call.apiRoot}/batches/${application.record.id}`;
      const body = batchJson(application, { log: knownLogTail(application), links: call.links(application) });
      return json(result.kind === "accepted" ? 201 : 200, body, { location });
    }
    case "rejected":
      return rejected(result.issues.map(({ message: text }) => text));
    case "conflict":
      if (result.with === "name") return rejected([`Duplicate session name: ${batch.name} for session ${result.id}`]);
      if (result.with === "idempotencyKey")
        return message(422, `The Idempotency-Key belongs to another request, of session ${result.id}.`);
      return rejected([`The ${result.with} belongs to session ${result.id}.`]);
    case "limited":
      return message(429, `${tooManyCreations} ${result.reason}`.trim(), {
        "retry-after": String(result.retryAfterSeconds),
      });
    case "unavailable":
      return message(503, result.reason, { "retry-after": String(result.retryAfterSeconds) });
  }
}

/** Returns the response that lists everything that is wrong with a request. */
function rejected(problems: readonly string[]): GatewayResponse {
  return message(400, `Rejected, Reason: ${problems.join("; ")}`);
}

type ParsedBody = { readonly ok: true; readonly body: Fields } | { readonly ok: false; readonly message: string };

const formTypes = /^\s*(application\/x-www-form-urlencoded|multipart\/)/i;

function parseBody(contentType: string | undefined, bytes: Buffer): ParsedBody {
  const invalid = (reason: string): ParsedBody => ({ ok: false, message: `Invalid request body: ${reason}` });
  if (formTypes.test(contentType ?? ""))
    return invalid("it is a form; set the header Content-Type to application/json.");
  const limit = exceededJsonLimit(bytes, jsonLimits);
  if (limit !== undefined) return invalid(`it exceeds the limit ${limit}, which is ${jsonLimits[limit]}.`);
  try {
    const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (isFields(body)) return { ok: true, body };
    return invalid("it must be a JSON object.");
  } catch (error) {
    // The parser's message quotes the body, which can contain secrets.
    if (error instanceof SyntaxError) return invalid("it is not JSON.");
    if (error instanceof TypeError) return invalid("it is not UTF-8.");
    throw error;
  }
}
