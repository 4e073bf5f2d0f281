import { checkEscalation } from "../access/escalation.ts";
import { checkSubject } from "../access/signers.ts";
import { admitAmounts, admitCreation } from "../admission/admit.ts";
import { admitNamespace } from "../admission/namespace-lifecycle.ts";
import { admissionRequest, operationOptions } from "../admission/webhooks/admission-request.ts";
import { hasWebhooks } from "../admission/webhooks/configured-webhooks.ts";
import { mutate } from "../admission/webhooks/mutate.ts";
import { validateByWebhooks } from "../admission/webhooks/validate.ts";
import { type FieldManager, recordUpdate, writeManagers } from "../apply/managed-fields.ts";
import type { ApiScope, Call } from "../call.ts";
import { convertToStored } from "../custom/webhook-conversion.ts";
import type { Draft } from "../object.ts";
import { randomSuffix } from "../random-suffix.ts";
import { alreadyExists, badRequest, invalid, StatusError } from "../status.ts";
import type { Steps } from "../steps.ts";
import type { StoredObject } from "../store.ts";
import { fitStoredSize } from "../stored-size.ts";
import { timestamp } from "../timestamp.ts";
import { validateMetadata } from "../validation/metadata.ts";
import { checkNamespace } from "./check-namespace.ts";
import { storedFormat } from "./stored-format.ts";
import type { WriteOptions } from "./write-options.ts";

/** Number of generated names that are tried, and of objects that other writes invalidate, before the request fails. */
const maxAttempts = 8;

/** Options of inserting an object. */
export interface InsertOptions extends WriteOptions {
  /** The owners of its fields, for server-side apply. @default the request's manager */
  readonly managers?: readonly FieldManager[];
  /** Time at which the request expires, in ms since 1970. */
  readonly expires: number;
}

/**
 * Completes, admits and validates a new object, and stores it unless it is a dry run.
 *
 * @throws StatusError 403, 404, 409, 422, or that of a webhook
 */
export function* insert(api: ApiScope, call: Call, draft: Draft, options: InsertOptions): Steps<Draft | StoredObject> {
  resetMetadata(call, { draft, ...options });
  // Fields that the server adds below have no owner.
  if (options.managers === undefined) {
    recordUpdate(api, call, { next: draft, old: undefined, manager: options.fieldManager });
  } else writeManagers(draft, options.managers);
  const admitted = yield* admitByWebhooks(api, call, draft, options);
  const isGenerated = (admitted.metadata.name ?? "") === "" && (admitted.metadata.generateName ?? "") !== "";
  for (let attempt = 1; ; attempt += 1) {
    const prepared = isGenerated || hasWebhooks(api.store) ? structuredClone(admitted) : admitted;
    const created = yield* tryInsert(api, call, prepared, { ...options, isLast: attempt === maxAttempts });
    if (created === "outdated") continue;
    if (created !== undefined) return created;
    if (!isGenerated || attempt === maxAttempts) throw existing(api, call, prepared.metadata.name ?? "");
  }
}

function existing({ store }: ApiScope, { kind, namespace }: Call, name: string): StatusError {
  const isTerminating = store.get(kind.collection, namespace, name)?.metadata.deletionTimestamp !== undefined;
  return alreadyExists(kind, name, { isTerminating });
}

/** Completes a new object, and calls the mutating webhooks. */
function* admitByWebhooks(api: ApiScope, call: Call, draft: Draft, options: InsertOptions): Steps<Draft> {
  const { managedFields } = draft.metadata;
  const admitted = yield* mutate<Draft>(api, creation(call, options, draft.metadata.name), {
    ...{ object: draft, oldObject: undefined, format: storedFormat },
    complete: (object) => admitCreation(api, call, object),
  });
  if (admitted === draft) return draft;
  // Webhooks own no fields.
  if (managedFields === undefined) delete admitted.metadata.managedFields;
  else admitted.metadata.managedFields = managedFields;
  checkNamespace(call, admitted);
  return admitted;
}

function creation(call: Call, { dryRun, expires }: InsertOptions, name = "") {
  const options = operationOptions("CreateOptions", call);
  return admissionRequest(call, { operation: "CREATE", options, dryRun, expires, name });
}

/**
 * Inserts an object once.
 *
 * @returns `undefined` if the name exists, `outdated` if another request has used an address that it was to get
 */
function* tryInsert(
  api: ApiScope,
  call: Call,
  draft: Draft,
  options: InsertOptions & { readonly isLast: boolean },
): Steps<Draft | StoredObject | "outdated" | undefined> {
  const { kind } = call;
  const { rules } = kind;
  setIdentity(api, call, draft);
  checkEscalation({ ...call, store: api.store, draft });
  checkSubject(call.kind, draft.metadata.name ?? "", draft);
  rules.prepare?.(draft, api, call.user);
  const errors = [...validateMetadata(draft, rules), ...(rules.validate?.(draft, api) ?? [])];
  const name = draft.metadata.name ?? "";
  if (errors.length > 0) throw invalid(kind, name, errors);
  call.warnings.push(...(rules.warn?.(draft, undefined) ?? []));
  yield* convertToStored(api, call, draft);
  const revision = api.store.revision();
  const objects = { object: draft, oldObject: undefined, format: storedFormat };
  yield* validateByWebhooks(api, creation(call, options, name), objects);
  if (api.store.revision() !== revision) {
    admitNamespace(api, call, name);
    if (!canStillAllocate(api, call, draft, options)) return "outdated";
  }
  const updateQuotas = admitAmounts(api, call, draft, undefined);
  if (options.dryRun) {
    return api.store.get(kind.collection, call.namespace, name) === undefined ? draft : undefined;
  }
  fitStoredSize(draft, { isApply: options.managers !== undefined });
  const created = api.store.create(kind.collection, draft);
  if (created !== undefined) updateQuotas();
  return created;
}

/** Whether the addresses that an object got are still free after webhooks were called. @throws StatusError in the last attempt */
function canStillAllocate(
  api: ApiScope,
  { kind, user }: Call,
  draft: Draft,
  { isLast }: { readonly isLast: boolean },
): boolean {
  try {
    kind.rules.prepare?.(structuredClone(draft), api, user);
    return true;
  } catch (error) {
    if (error instanceof StatusError && !isLast) return false;
    throw error;
  }
}

/** Removes the metadata that the server decides. @throws StatusError 400 for a resourceVersion */
function resetMetadata(
  { namespace }: Call,
  { draft, dryRun }: { readonly draft: Draft; readonly dryRun: boolean },
): void {
  const { metadata } = draft;
  // A dry run accepts any resourceVersion.
  if (!dryRun && !["", "0", undefined].includes(metadata.resourceVersion)) {
    throw badRequest("resourceVersion should not be set on objects to be created");
  }
  delete metadata.resourceVersion;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  delete metadata.managedFields;
  delete metadata.uid;
  delete metadata.creationTimestamp;
  if (namespace === undefined) delete metadata.namespace;
  else metadata.namespace = namespace;
}

/** Sets the metadata that the server decides, whatever webhooks have set. */
function setIdentity({ random, clock }: ApiScope, { kind, namespace }: Call, { metadata }: Draft): void {
  delete metadata.resourceVersion;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  metadata.uid = random.uuid();
  metadata.creationTimestamp = timestamp(clock.now());
  if (namespace !== undefined) metadata.namespace = namespace;
  if (kind.rules.generation !== undefined) metadata.generation = 1;
  const { generateName = "", name = "" } = metadata;
  if (name === "" && generateName !== "") metadata.name = generate(random, generateName);
}

function generate(random: ApiScope["random"], prefix: string): string {
  return `${prefix.slice(0, 58)}${randomSuffix(random)}`;
}
