import { exceedsDepth, isObject, isSame, type JsonObject } from "../json.ts";
import type { VersionConversion, VersionTarget } from "../kinds/custom-format.ts";
import { identityOf, withIdentity } from "../object-identity.ts";
import { type Decoded, DecodeError } from "../schema/decode.ts";
import type { StoredObject } from "../store.ts";
import { dropNulls, fillDefaults, prune, readEmbedded, readMetadata } from "../structural/coerce.ts";
import type { Schema } from "../structural/schema.ts";
import type { WebhookAddress } from "../webhook.ts";
import { withMetadataOf } from "./conversion-review.ts";
import { convertedObject, UnconvertedError } from "./webhook-conversion.ts";

/** Maximum nesting of a custom resource: some functions that process stored objects call themselves. */
const maxLevels = 500;

/** Decodes a custom resource. @throws DecodeError */
export function decodeCustom(schema: Schema, object: JsonObject): Decoded {
  if (exceedsDepth(object, maxLevels)) throw new DecodeError(`exceeds the maximum depth of ${maxLevels}`);
  const copy: Record<string, unknown> = { ...object };
  for (const name of Object.keys(copy)) if (name !== "__proto__") copy[name] = structuredClone(copy[name]);
  const metadataFields: string[] = [];
  const metadata = readMetadata(copy["metadata"], "metadata", metadataFields);
  const pruned: string[] = [];
  prune(copy, schema, pruned);
  dropNulls(copy, schema);
  const embedded: string[] = [];
  readEmbedded(copy, schema, embedded);
  fillDefaults(copy, schema);
  copy["metadata"] = metadata;
  return { object: copy, unknown: [...metadataFields, ...pruned.sort(), ...embedded.sort()] };
}

/** Versions of a custom resource. */
interface Versions {
  readonly collection: string;
  readonly group: string;
  readonly schemas: ReadonlyMap<string, Schema>;
  /** Version of stored objects. */
  readonly storage: string;
  /** The webhook that converts objects. @default only `apiVersion` changes */
  readonly webhook: WebhookAddress | undefined;
}

/**
 * Returns the conversion between the stored version and another one, by the definition's webhook if it has one. Otherwise, only
 * `apiVersion` changes. Reading sets the defaults that the definition has now.
 */
export function versionConversion(versions: Versions, version: string): VersionConversion {
  const { webhook, collection } = versions;
  const direct = directConversion(versions, version);
  if (webhook === undefined) return direct;
  const own = targetOf(versions, version, webhook);
  const stored = targetOf(versions, versions.storage, webhook);
  // Writes compare the objects that they read by identity.
  const shown = new WeakMap<JsonObject, StoredObject>();
  return {
    collection,
    webhook: { own, stored },
    fromStored(object) {
      if (object.apiVersion === own.apiVersion) return direct.fromStored(object);
      const result = convertedObject(own, object);
      const known = shown.get(result) ?? withIdentity(result, identityOf(object));
      shown.set(result, known);
      return known;
    },
    toStored(object, last) {
      if (!isObject(object) || object["apiVersion"] === stored.apiVersion) return object;
      const result = stored.results.get(object);
      if (result !== undefined) return withMetadataOf(object, result);
      // Only the metadata has changed, such as the time of a deletion.
      const before = last === undefined ? undefined : own.results.get(last);
      if (last === undefined || before === undefined || !hasSameFields(object, before))
        throw new UnconvertedError([object]);
      return { ...last, metadata: object["metadata"] };
    },
  };
}

/** Whether two objects are the same except for their metadata. */
function hasSameFields({ metadata: _, ...object }: JsonObject, { metadata: __, ...other }: JsonObject): boolean {
  return isSame(object, other);
}

function targetOf({ group, schemas }: Versions, version: string, address: WebhookAddress): VersionTarget {
  const schema = schemas.get(version) ?? {};
  return {
    ...{ apiVersion: `${group}/${version}`, address, results: new WeakMap() },
    complete(object) {
      coerce(object, schema);
      fillDefaults(object, schema);
      return object;
    },
  };
}

/** Returns the conversion that changes only `apiVersion`. */
function directConversion(versions: Versions, version: string): VersionConversion {
  const { collection, group, schemas, storage } = versions;
  const apiVersion = `${group}/${version}`;
  const known = new WeakMap<StoredObject, StoredObject>();
  const read = (object: StoredObject): StoredObject => {
    const copy = structuredClone(object);
    const own = object.apiVersion.slice(object.apiVersion.indexOf("/") + 1);
    const stored = schemas.get(own);
    if (stored !== undefined) {
      coerce(copy, stored);
      fillDefaults(copy, stored);
    }
    const result = own === version ? copy : { ...copy, apiVersion };
    const schema = schemas.get(version);
    if (own !== version && schema !== undefined) coerce(result, schema);
    return isSame(result, object) ? object : result;
  };
  return {
    collection,
    fromStored(object) {
      const found = known.get(object) ?? read(object);
      known.set(object, found);
      return found;
    },
    toStored(object) {
      const schema = schemas.get(storage);
      if (storage === version || schema === undefined || !isObject(object)) return object;
      const copy = { ...structuredClone(object), apiVersion: `${group}/${storage}` };
      coerce(copy, schema);
      return copy;
    },
  };
}

function coerce(object: object, schema: Schema): void {
  prune(object, schema, []);
  dropNulls(object, schema);
}
