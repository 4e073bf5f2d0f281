import { exceedsDepth, isObject, isSame, type JsonObject } from "../json.ts";
import type { VersionConversion } from "../kinds/custom-format.ts";
import { type Decoded, DecodeError } from "../schema/decode.ts";
import type { StoredObject } from "../store.ts";
import { dropNulls, fillDefaults, prune, readEmbedded, readMetadata } from "../structural/coerce.ts";
import type { Schema } from "../structural/schema.ts";

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
}

/**
 * Returns the conversion between the stored version and another one: only `apiVersion` changes. Reading sets the defaults that the
 * definition has now.
 */
export function versionConversion(versions: Versions, version: string): VersionConversion {
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
