import { checkEscalation } from "../access/escalation.ts";
import { checkSigner } from "../access/signers.ts";
import { admitAmounts } from "../admission/admit.ts";
import {
  type AdmissionRequest,
  admissionRequest,
  type ObjectFormat,
  operationOptions,
} from "../admission/webhooks/admission-request.ts";
import { expiryOf } from "../admission/webhooks/expiry.ts";
import { mutate } from "../admission/webhooks/mutate.ts";
import { validateByWebhooks } from "../admission/webhooks/validate.ts";
import { recordUpdate, writeManagers } from "../apply/managed-fields.ts";
import type { Action, ActionResult, ApiScope, Call } from "../call.ts";
import { convertToStored } from "../custom/webhook-conversion.ts";
import { isSame } from "../json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { PartRules } from "../kinds/rules.ts";
import type { Draft } from "../object.ts";
import { badRequest, conflict, invalid, modified, notFound, StatusError } from "../status.ts";
import { runSteps, type Steps } from "../steps.ts";
import type { StoredObject } from "../store.ts";
import { fitStoredSize } from "../stored-size.ts";
import { invalidValue } from "../validation/field-error.ts";
import { validateMetadata, validateMetadataUpdate } from "../validation/metadata.ts";
import { checkNamespace } from "./check-namespace.ts";
import { type InsertOptions, insert } from "./insert.ts";
import { readObject } from "./read-object.ts";
import { storedFormat } from "./stored-format.ts";
import { writeOptions } from "./write-options.ts";

/** Replaces one object or its status: PUT. */
export const update: Action = (api, call) => runSteps(updateSteps(api, call));

/** Steps of `update`. */
export function updateSteps(api: ApiScope, call: Call): Steps<ActionResult> {
  const options = { ...writeOptions(call.query, "UpdateOptions"), expires: expiryOf(api, call) };
  return untilStored(() => tryUpdate(api, call, options));
}

/**
 * Repeats a write of an object that another request has changed while webhooks were called. An object with a resourceVersion is
 * then rejected with 409.
 */
export function* untilStored(attempt: () => Steps<ActionResult | undefined>): Steps<ActionResult> {
  for (;;) {
    const result = yield* attempt();
    if (result !== undefined) return result;
  }
}

function* tryUpdate(api: ApiScope, call: Call, options: InsertOptions): Steps<ActionResult | undefined> {
  const draft = readObject(call, options);
  checkName(call, draft);
  checkNamespace(call, draft);
  const current = api.store.get(call.kind.collection, call.namespace, call.name);
  if (current === undefined) {
    if (call.kind.rules.createsOnUpdate !== true || call.subresource !== undefined)
      throw notFound(call.kind, call.name);
    checkUid(call, draft, undefined);
    delete draft.metadata.resourceVersion;
    return { type: "object", status: 201, object: yield* insert(api, call, draft, options) };
  }
  checkUid(call, draft, current);
  return yield* replace(api, call, draft, { ...options, current });
}

/** Rejects an object with another name than its path. @throws StatusError 400 */
export function checkName({ name }: Pick<Call, "name">, { metadata }: Pick<Draft, "metadata">): void {
  const own = metadata.name ?? "";
  if (own === "") {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (own !== name) throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
}

function checkUid({ kind, name, namespace }: Call, { metadata }: Draft, current: StoredObject | undefined): void {
  const specified = metadata.uid ?? "";
  const uid = current?.metadata.uid ?? "";
  if (specified === "" || specified === uid) return;
  const key = `/registry/${kind.plural}/${namespace === undefined ? "" : `${namespace}/`}${name}`;
  const fault = `Precondition failed: UID in precondition: ${specified}, UID in object meta: ${uid}`;
  throw conflict(
    kind,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${fault}`,
  );
}

/** Options of replacing an object. */
interface ReplaceOptions extends InsertOptions {
  readonly current: StoredObject;
  /** Objects as webhooks see them. @default the stored ones */
  readonly format?: ObjectFormat<Draft>;
  /** The subresource that webhooks see. @default that of the call */
  readonly admittedPart?: string;
}

/**
 * Stores a changed object: keeps or rejects changes of immutable fields, and updates generation and managed fields.
 *
 * @returns `undefined` if the stored object changed while webhooks were called
 * @throws StatusError 400, 409, 422, or that of a webhook
 */
export function* replace(
  api: ApiScope,
  call: Call,
  sent: Draft,
  options: ReplaceOptions,
): Steps<ActionResult | undefined> {
  const { kind, subresource, namespace, name } = call;
  const { current, format = storedFormat } = options;
  checkRevision(call, sent, current);
  const old = structuredClone(current);
  if (options.managers === undefined) {
    recordUpdate(api, call, { next: sent, old, manager: options.fieldManager });
  } else writeManagers(sent, options.managers);
  const request = changeRequest(call, options);
  const draft = yield* mutateSent(api, call, sent, { request, old, format });
  const changed = keepParts(api, call, draft, old);
  keepMetadata(changed, old);
  if (subresource === "status") kind.rules.prepareStatus?.(changed, old, api);
  else if (partOf(kind, subresource) === undefined) kind.rules.prepareUpdate?.(changed, old, api);
  if (subresource !== "status" && isNewGeneration(kind, changed, old)) {
    changed.metadata.generation = (old.metadata.generation ?? 0) + 1;
  }
  checkEscalation({ ...call, store: api.store, draft: changed });
  checkSigner({ ...call, store: api.store }, changed, old);
  validate(api, call, changed, old);
  yield* convertToStored(api, call, changed);
  const revision = api.store.revision();
  yield* validateByWebhooks(api, request, { object: changed, oldObject: old, format });
  if (api.store.get(kind.collection, namespace, name) !== current) return undefined;
  if (api.store.revision() !== revision && !canStillAllocate(api, call, changed, old)) return undefined;
  const updateQuotas = admitAmounts(api, call, changed, old);
  if (options.dryRun) return { type: "object", status: 200, object: changed };
  fitStoredSize(changed, { isApply: options.managers !== undefined });
  const object = commit(api, call, changed, current);
  updateQuotas();
  return { type: "object", status: 200, object };
}

/** Whether an update increases the generation. */
function isNewGeneration({ rules }: Kind, next: Draft, old: StoredObject): boolean {
  if (rules.generation === "spec") return !isSame(next["spec"], old["spec"]);
  return rules.generation === "content" && !isSame({ ...next, metadata: undefined }, { ...old, metadata: undefined });
}

/** Whether the addresses that an object got are still free after webhooks were called. */
function canStillAllocate(api: ApiScope, { kind, subresource }: Call, draft: Draft, old: StoredObject): boolean {
  if (subresource !== undefined) return true;
  try {
    kind.rules.prepareUpdate?.(structuredClone(draft), old, api);
    return true;
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}

function changeRequest(call: Call, { dryRun, expires, admittedPart = call.subresource }: ReplaceOptions) {
  const options = operationOptions("UpdateOptions", call);
  return admissionRequest({ ...call, subresource: admittedPart }, { operation: "UPDATE", options, dryRun, expires });
}

interface SentContext {
  readonly request: AdmissionRequest;
  readonly old: StoredObject;
  readonly format: ObjectFormat<Draft>;
}

/** Calls the mutating webhooks for the object that the client sent. */
function* mutateSent(api: ApiScope, call: Call, sent: Draft, { request, old, format }: SentContext): Steps<Draft> {
  const draft = yield* mutate(api, request, { object: sent, oldObject: old, format });
  if (draft === sent) return sent;
  // Webhooks own no fields.
  const { managedFields } = sent.metadata;
  if (managedFields === undefined) delete draft.metadata.managedFields;
  else draft.metadata.managedFields = managedFields;
  checkName(call, draft);
  checkNamespace(call, draft);
  return draft;
}

function checkRevision({ kind, name }: Call, { metadata }: Draft, current: StoredObject): void {
  const specified = metadata.resourceVersion ?? "";
  if (specified === "" || specified === "0") {
    if (kind.rules.needsRevision !== true) return;
    // Kubernetes names the resource here instead of the kind.
    throw invalid({ ...kind, kind: kind.plural }, name, [
      invalidValue("metadata.resourceVersion", specified === "" ? 0 : specified, "must be specified for an update"),
    ]);
  }
  if (!/^\d+$/.test(specified))
    throw badRequest(`strconv.ParseUint: parsing ${JSON.stringify(specified)}: invalid syntax`);
  if (specified !== current.metadata.resourceVersion) throw modified(kind, name);
}

/** Keeps the status when the object is written, and everything else when the status or another part is written. */
function keepParts(
  api: ApiScope,
  { kind, subresource }: Pick<Call, "kind" | "subresource">,
  draft: Draft,
  old: StoredObject,
): Draft {
  const part = partOf(kind, subresource);
  if (part !== undefined) {
    const metadata = part.keepsMetadata === true ? keepAllButManagers(draft, old) : keepOwners(draft, old);
    return { ...part.write(draft, old, api), metadata };
  }
  if (kind.rules.hasStatus !== true) return draft;
  if (subresource !== "status") return { ...draft, status: old["status"] };
  return { ...old, metadata: keepOwners(draft, old), status: draft["status"] };
}

function keepOwners({ metadata }: Draft, { metadata: { ownerReferences: owners } }: StoredObject): Draft["metadata"] {
  const { ownerReferences: _, ...sent } = metadata;
  return { ...sent, ...(owners === undefined ? {} : { ownerReferences: owners }) };
}

function keepAllButManagers(draft: Draft, old: StoredObject): Draft["metadata"] {
  const { managedFields: _, ...metadata } = old.metadata;
  const { uid, managedFields } = draft.metadata;
  return { ...metadata, ...(uid !== undefined && { uid }), ...(managedFields && { managedFields }) };
}

function partOf({ rules }: Kind, subresource: string | undefined): PartRules | undefined {
  return subresource === undefined ? undefined : rules.parts?.[subresource];
}

/** Keeps the metadata that the server decides. */
function keepMetadata({ metadata }: Draft, { metadata: last }: StoredObject): void {
  metadata.resourceVersion = last.resourceVersion;
  if ((metadata.namespace ?? "") === "" && last.namespace !== undefined) metadata.namespace = last.namespace;
  if ((metadata.uid ?? "") === "") metadata.uid = last.uid;
  delete metadata.selfLink;
  for (const field of ["creationTimestamp", "generation"] as const) {
    if (last[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: last[field] });
  }
  if (last.deletionTimestamp === undefined) return;
  metadata.deletionTimestamp = last.deletionTimestamp;
  if (last.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= last.deletionGracePeriodSeconds;
}

function validate(api: ApiScope, { kind, name, subresource, warnings }: Call, next: Draft, old: StoredObject): void {
  const { rules } = kind;
  const part = partOf(kind, subresource);
  const own =
    subresource === "status"
      ? rules.validateStatus?.(next, old)
      : part !== undefined
        ? part.validate(next, old)
        : (rules.validateUpdate?.(next, old, api) ?? rules.validate?.(next, api));
  const errors = [...validateMetadataUpdate(next, old, rules), ...validateMetadata(next, rules), ...(own ?? [])];
  if (errors.length > 0) throw invalid(kind, name, errors);
  if (subresource === undefined) warnings.push(...(rules.warn?.(next, old) ?? []));
}

/** Stores an object. If its last finalizer is removed while it terminates, it is deleted; the writer receives its last state. */
function commit(
  { store }: ApiScope,
  { kind, namespace, name }: Call,
  next: Draft,
  current: StoredObject,
): StoredObject {
  const stored = store.update(kind.collection, namespace, name, () => next);
  if (stored === undefined) throw notFound(kind, name);
  const isDeleted = store.get(kind.collection, namespace, name)?.metadata.uid !== current.metadata.uid;
  if (!isDeleted) return stored;
  const { name: own, uid, resourceVersion } = current.metadata;
  return { ...next, metadata: { ...next.metadata, name: own, uid, resourceVersion } };
}
