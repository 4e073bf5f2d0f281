import { hasWebhooks } from "../admission/webhooks/configured-webhooks.ts";
import { expiryOf } from "../admission/webhooks/expiry.ts";
import { shapeOf } from "../apply/custom-shape.ts";
import { difference, type FieldSet, isEmptySet, isSameSet, union } from "../apply/field-set.ts";
import { type FieldManager, isSameOwner, ownable, readManagers, takeOver } from "../apply/managed-fields.ts";
import { fieldsOf, merge, type Shape } from "../apply/typed-value.ts";
import { inStoredVersion, inVersionOf, pruneApplied, versionedChanges } from "../apply/versioned-changes.ts";
import type { ActionResult, ApiScope, Call } from "../call.ts";
import { isArray, isObject, isSame, type JsonObject } from "../json.ts";
import { apiVersionOf, decodeAs, writesStatus } from "../kinds/kind.ts";
import { isDraft } from "../object.ts";
import { DecodeError } from "../schema/decode.ts";
import { badRequest, conflict, notFound } from "../status.ts";
import { runSteps, type Steps } from "../steps.ts";
import type { StoredObject } from "../store.ts";
import { timestamp } from "../timestamp.ts";
import { parseYaml, repeatedFault } from "../wire/yaml.ts";
import { checkNamespace } from "./check-namespace.ts";
import { type InsertOptions, insert } from "./insert.ts";
import { decodeObject } from "./read-object.ts";
import { checkName, replace, untilStored } from "./update.ts";
import { type WriteOptions, writeOptions } from "./write-options.ts";

/**
 * Applies a configuration: PATCH with `application/apply-patch+yaml`. The client owns the fields that it applies.
 *
 * Source: Kubernetes 1.35, server-side apply.
 */
export function apply(api: ApiScope, call: Call): ActionResult | Promise<ActionResult> {
  const options = { ...writeOptions(call.query, "PatchOptions", { isApply: true }), expires: expiryOf(api, call) };
  const config = readConfiguration(call, options);
  return runSteps(untilStored(() => tryApply(api, call, { config, options })));
}

function* tryApply(
  api: ApiScope,
  call: Call,
  { config: sent, options }: { readonly config: JsonObject; readonly options: InsertOptions },
): Steps<ActionResult | undefined> {
  const current = api.store.get(call.kind.collection, call.namespace, call.name);
  const config = current === undefined ? withoutRevision(sent) : sent;
  if (current === undefined && call.subresource !== undefined) throw notFound(call.kind, call.name);
  if (current === undefined) checkNoUid(call, config);
  const plan = planApply(api, call, { config, current, options });
  if (current !== undefined && plan.isUnchanged && !hasWebhooks(api.store))
    return { type: "object", status: 200, object: current };
  const draft = decodeObject(call, { object: plan.document }, options);
  if (current === undefined) {
    const object = yield* insert(api, call, draft, { ...options, managers: plan.managers });
    return { type: "object", status: 201, object };
  }
  return yield* replace(api, call, draft, { ...options, current, managers: plan.managers });
}

/** Removes the revision, which an object that does not exist cannot have. */
function withoutRevision({ metadata, ...config }: JsonObject): JsonObject {
  if (!isObject(metadata)) return config;
  const { resourceVersion: _, ...rest } = metadata;
  return { ...config, metadata: rest };
}

/** Rejects a configuration with a uid for an object that does not exist. @throws StatusError 409 */
function checkNoUid({ kind, name }: Call, { metadata }: JsonObject): void {
  const uid = isObject(metadata) ? metadata["uid"] : undefined;
  if (typeof uid !== "string" || uid === "") return;
  const text = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(kind, name, text);
}

interface Plan {
  /** The object after applying. */
  readonly document: JsonObject;
  readonly managers: readonly FieldManager[];
  readonly isUnchanged: boolean;
}

interface PlanRequest {
  readonly config: JsonObject;
  readonly current: StoredObject | undefined;
  readonly options: WriteOptions;
}

function planApply({ clock, kinds }: ApiScope, call: Call, { config, current: stored, options }: PlanRequest): Plan {
  const { kind, subresource = "" } = call;
  const shape = shapeOf(kind);
  const current = stored === undefined ? undefined : inVersionOf(kind, stored);
  const own = {
    name: options.fieldManager ?? "",
    operation: "Apply",
    apiVersion: apiVersionOf(kind),
    subresource,
  } as const;
  const known = knownManagers(stored, { shape, call, time: timestamp(clock.now()) });
  const applier = known.find((manager) => isSameOwner(manager, own));
  const others = known.filter((manager) => !isSameOwner(manager, own));
  const fields = ownable(fieldsOf(config, shape), call);
  const applied = onlyOwnable(config, call);
  const merged = merge(current, applied, shape);
  const owned = others.reduce<FieldSet>((sum, manager) => union(sum, manager.fields), fields);
  const pruned = applier === undefined ? merged : pruneApplied(kinds, kind, merged, { last: applier, owned });
  const document = isObject(pruned) ? pruned : applied;
  const changesOf = versionedChanges(kinds, kind, {
    ...{ old: stored, next: inStoredVersion(kind, document) },
    ownable: (set) => ownable(set, call),
  });
  const rest = takeOver(others, (apiVersion) => changesOf(apiVersion).written, options).map((manager) => ({
    ...manager,
    fields: difference(manager.fields, changesOf(manager.apiVersion).removed),
  }));
  const ownsSameFields =
    applier === undefined
      ? isEmptySet(fields)
      : applier.apiVersion === own.apiVersion && isSameSet(applier.fields, fields);
  const time = applier !== undefined && ownsSameFields ? applier.time : timestamp(clock.now());
  return {
    document,
    managers: [...rest, { ...own, fields, time }],
    isUnchanged: ownsSameFields && isSame(document, current),
  };
}

/** Returns the managers of an object. If it has none, its fields belong to a manager named "before-first-apply". */
function knownManagers(
  current: StoredObject | undefined,
  { shape, call, time }: { shape: Shape; call: Call; time: string },
): readonly FieldManager[] {
  const known = readManagers(current);
  if (current === undefined || known.length > 0) return known;
  const fields = ownable(fieldsOf(inVersionOf(call.kind, current), shape), call);
  const apiVersion = apiVersionOf(call.kind);
  return [{ name: "before-first-apply", operation: "Update", apiVersion, subresource: "", fields, time }];
}

/** Removes the fields that the path cannot write: status on the object's own path, spec on its status path. */
function onlyOwnable(config: JsonObject, { kind, subresource }: Call): JsonObject {
  if (kind.rules.hasStatus !== true) return config;
  const { status, spec, ...rest } = config;
  if (writesStatus(kind, subresource)) return status === undefined ? rest : { ...rest, status };
  return spec === undefined ? rest : { ...rest, spec };
}

/** Parses the configuration in a request's body. @throws StatusError 400 */
function readConfiguration(call: Call, { fieldValidation }: WriteOptions): JsonObject {
  const { kind, name } = call;
  const { value, fault, repeated } = parseYaml(call.raw.bytes);
  if (fault !== undefined) throw badRequest(`error decoding YAML: error converting YAML to JSON: ${fault}`);
  if (!isObject(value)) {
    const found = `json: cannot unmarshal ${isArray(value) ? "array" : typeof value} into Go value`;
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: ${found} of type map[string]interface {}`,
    );
  }
  if (repeated.length > 0 && fieldValidation === "Strict") {
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${repeatedFault(repeated)}`);
  }
  if (fieldValidation !== "Ignore") call.warnings.push(...repeated);
  const metadata = isObject(value["metadata"]) ? value["metadata"] : {};
  if (metadata["managedFields"] !== undefined && metadata["managedFields"] !== null) {
    throw badRequest("metadata.managedFields must be nil");
  }
  checkIdentity(call, value, metadata);
  const errorPrefix = `failed to create typed patch object (${call.namespace ?? ""}/${name}; ${kind.group}/${kind.version}, Kind=${kind.kind})`;
  try {
    const { object, unknown } = decodeAs(kind, value);
    const [first] = unknown;
    if (first !== undefined) throw badRequest(`${errorPrefix}: .${first}: field not declared in schema`);
    if (isDraft(object)) checkNamespace(call, object);
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`${errorPrefix}: ${error.message}`);
    throw error;
  }
  return {
    ...value,
    metadata: { ...metadata, name, ...(call.namespace === undefined ? {} : { namespace: call.namespace }) },
  };
}

function checkIdentity({ kind, name }: Call, value: JsonObject, metadata: JsonObject): void {
  const apiVersion = value["apiVersion"];
  const own = metadata["name"];
  if (apiVersion !== apiVersionOf(kind) || value["kind"] !== kind.kind) {
    const version = typeof apiVersion === "string" ? apiVersion : "";
    const shown = version.includes("/") ? version : `/${version}`;
    throw badRequest(`invalid object type: ${shown}, Kind=${value["kind"] ?? ""}`);
  }
  checkName({ name }, { metadata: typeof own === "string" ? { name: own } : {} });
}
