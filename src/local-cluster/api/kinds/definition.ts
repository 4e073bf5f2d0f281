import { cleanupFinalizer, type Definition, isDefinition } from "../definitions/definition.ts";
import { definitionErrors, definitionUpdateErrors, nameErrors } from "../definitions/definition-errors.ts";
import { definitionWarnings } from "../definitions/definition-warnings.ts";
import { isSame } from "../json.ts";
import { badRequest } from "../status.ts";
import { readSchema, SchemaError } from "../structural/schema.ts";
import type { Rules } from "./rules.ts";

/** The rules of CustomResourceDefinitions. */
export const definitionRules: Rules<Definition> = {
  hasStatus: true,
  showsDeleted: true,
  generation: "spec",
  needsRevision: true,
  acceptsAnyFinalizer: true,
  fill(definition) {
    const { spec } = definition;
    const { names } = spec;
    names.singular = names.singular || names.kind.toLowerCase();
    if (names.kind !== "") names.listKind = names.listKind || `${names.kind}List`;
    spec.conversion ??= { strategy: "None" };
    const service = spec.conversion.webhook?.clientConfig?.service;
    if (service !== undefined) service.port ??= 443;
    spec.versions = (spec.versions ?? []).map((version) => {
      const schema = version.schema?.openAPIV3Schema;
      return schema === undefined ? version : { ...version, schema: { openAPIV3Schema: readSchemaOf(schema) } };
    });
  },
  prepare(definition) {
    definition.status = { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: [] };
    addStoredVersion(definition);
  },
  prepareUpdate: (definition) => addStoredVersion(definition),
  validate: (definition) => definitionErrors(definition),
  validateUpdate: (definition, old) => definitionUpdateErrors(definition, old),
  validateStatus: ({ status }) =>
    status === undefined ? [] : nameErrors("status.acceptedNames", status.acceptedNames),
  warn: (definition, old) => definitionWarnings(definition, old),
  terminate(object, time) {
    const { finalizers = [] } = object.metadata;
    const marked = {
      ...object,
      metadata: {
        ...object.metadata,
        ...{ deletionTimestamp: time, deletionGracePeriodSeconds: 0 },
        finalizers: finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer],
      },
    };
    return isDefinition(marked) ? withCondition(marked, { ...pendingDeletion, lastTransitionTime: time }) : marked;
  },
};

const pendingDeletion = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionPending",
  message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
};

/** Reads the schema of a version. @throws StatusError 400 */
function readSchemaOf(schema: object) {
  try {
    return readSchema(schema);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const kind = "CustomResourceDefinition";
    throw badRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${error.message}`);
  }
}

/** Adds the version of stored objects to those that objects may be stored in. */
function addStoredVersion({ spec, status }: Definition): void {
  const storage = spec.versions.find((version) => version.storage)?.name;
  if (status === undefined || storage === undefined || status.storedVersions?.includes(storage)) return;
  status.storedVersions = [...(status.storedVersions ?? []), storage];
}

type Condition = NonNullable<NonNullable<Definition["status"]>["conditions"]>[number];

/** Sets a condition of a definition; its time changes only with its status. */
export function withCondition(definition: Definition, condition: Condition): Definition {
  const { status = { conditions: [], acceptedNames: { plural: "", kind: "" }, storedVersions: [] } } = definition;
  const conditions = status.conditions ?? [];
  const known = conditions.find(({ type }) => type === condition.type);
  const { lastTransitionTime } = known?.status === condition.status ? known : condition;
  const next = lastTransitionTime === undefined ? condition : { ...condition, lastTransitionTime };
  if (known !== undefined && isSame(known, next)) return definition;
  const all = known === undefined ? [...conditions, next] : conditions.map((one) => (one === known ? next : one));
  return { ...definition, status: { ...status, conditions: all } };
}
