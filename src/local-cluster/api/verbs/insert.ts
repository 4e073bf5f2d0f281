import { checkEscalation } from "../access/escalation.ts";
import { admitAmounts, admitCreation } from "../admission/admit.ts";
import { type FieldManager, recordUpdate, writeManagers } from "../apply/managed-fields.ts";
import type { ApiScope, Call } from "../call.ts";
import type { Draft } from "../object.ts";
import { randomSuffix } from "../random-suffix.ts";
import { alreadyExists, badRequest, invalid } from "../status.ts";
import type { StoredObject } from "../store.ts";
import { fitStoredSize } from "../stored-size.ts";
import { timestamp } from "../timestamp.ts";
import { validateMetadata } from "../validation/metadata.ts";
import type { WriteOptions } from "./write-options.ts";

/** Number of generated names that are tried before the request fails. */
const nameAttempts = 8;

/** Options of inserting an object. */
export interface InsertOptions extends WriteOptions {
  /** The owners of its fields, for server-side apply. @default the request's manager */
  readonly managers?: readonly FieldManager[];
}

/**
 * Completes, admits and validates a new object, and stores it unless it is a dry run.
 *
 * @throws StatusError 403, 404, 409, 422
 */
export function insert(api: ApiScope, call: Call, draft: Draft, options: InsertOptions): Draft | StoredObject {
  const { name = "", generateName = "" } = draft.metadata;
  const attempts = name === "" && generateName !== "" ? nameAttempts : 1;
  for (let attempt = 1; ; attempt += 1) {
    const prepared = attempts === 1 ? draft : structuredClone(draft);
    const created = tryInsert(api, call, prepared, options);
    if (created !== undefined) return created;
    if (attempt >= attempts) throw alreadyExists(call.kind, prepared.metadata.name ?? "");
  }
}

/** Inserts an object once; `undefined` if the name exists. */
function tryInsert(api: ApiScope, call: Call, draft: Draft, options: InsertOptions): Draft | StoredObject | undefined {
  const { kind } = call;
  const { rules } = kind;
  resetMetadata(api, call, { draft, ...options });
  // Fields that the server adds below have no owner.
  if (options.managers === undefined) {
    recordUpdate(api, call, { next: draft, old: undefined, manager: options.fieldManager });
  } else writeManagers(draft, options.managers);
  checkEscalation({ ...call, store: api.store, draft });
  admitCreation(api, call, draft);
  rules.prepare?.(draft, api);
  const errors = [...validateMetadata(draft, rules), ...(rules.validate?.(draft, api) ?? [])];
  const name = draft.metadata.name ?? "";
  if (errors.length > 0) throw invalid(kind, name, errors);
  call.warnings.push(...(rules.warn?.(draft, undefined) ?? []));
  const updateQuotas = admitAmounts(api, call, draft, undefined);
  if (options.dryRun) {
    return api.store.get(kind.collection, call.namespace, name) === undefined ? draft : undefined;
  }
  fitStoredSize(draft, { isApply: options.managers !== undefined });
  const created = api.store.create(kind.collection, draft);
  if (created !== undefined) updateQuotas();
  return created;
}

/** Sets the metadata that the server decides. @throws StatusError 400 for a resourceVersion */
function resetMetadata(
  api: ApiScope,
  { kind, namespace }: Call,
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
  metadata.uid = api.random.uuid();
  metadata.creationTimestamp = timestamp(api.clock.now());
  if (namespace === undefined) delete metadata.namespace;
  else metadata.namespace = namespace;
  if (kind.rules.generation !== undefined) metadata.generation = 1;
  const { generateName = "", name = "" } = metadata;
  if (name === "" && generateName !== "") metadata.name = generate(api, generateName);
}

function generate({ random }: ApiScope, prefix: string): string {
  return `${prefix.slice(0, 58)}${randomSuffix(random)}`;
}
