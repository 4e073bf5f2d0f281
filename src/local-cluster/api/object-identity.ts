import { isObject } from "./json.ts";
import type { StoredObject } from "./store.ts";

/** Metadata that only the store sets. */
type ObjectIdentity = Pick<StoredObject["metadata"], "uid" | "creationTimestamp" | "resourceVersion">;

/** Returns the uid of an object that its author has already chosen. */
export function uidOf(object: unknown): string | undefined {
  const metadata = isObject(object) ? object["metadata"] : undefined;
  const uid = isObject(metadata) ? metadata["uid"] : undefined;
  return typeof uid === "string" && uid !== "" ? uid : undefined;
}

/** Returns the identity of a stored object. */
export function identityOf({ metadata }: StoredObject): ObjectIdentity {
  const { uid, creationTimestamp, resourceVersion } = metadata;
  return { uid, resourceVersion, ...(creationTimestamp === undefined ? {} : { creationTimestamp }) };
}

/** Sets the identity of an object. @throws TypeError if it lacks a kind or name */
export function withIdentity(object: unknown, identity: ObjectIdentity): StoredObject {
  const metadata = isObject(object) && isObject(object["metadata"]) ? object["metadata"] : {};
  const result = { ...(isObject(object) ? object : {}), metadata: { ...metadata, ...identity } };
  if (!isStored(result)) throw new TypeError("A stored object must have apiVersion, kind and metadata.name.");
  return result;
}

function isStored(value: { readonly metadata: object; readonly [field: string]: unknown }): value is StoredObject {
  const { apiVersion, kind, metadata } = value;
  return (
    typeof apiVersion === "string" &&
    typeof kind === "string" &&
    "name" in metadata &&
    typeof metadata.name === "string"
  );
}
