import type { ResourceType } from "../../../kube/resources.ts";
import type { JsonObject } from "../json.ts";
import type { StructType } from "../schema/schema.ts";
import type { CollectionName } from "../store.ts";
import type { Rules } from "./rules.ts";

/** Verb on a resource, as in discovery and roles. */
export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** A subresource, such as `pods/log`. */
export interface Subresource {
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** Kind of its bodies; empty `group` and `version` mean those of the object. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
}

/** A kind that the API serves. */
export interface Kind extends ResourceType {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  readonly subresources: readonly Subresource[];
  /** Collection that stores its objects; two versions of a kind share it. */
  readonly collection: CollectionName;
  /** Type of the objects in requests and responses. */
  readonly type: StructType;
  /** Type of the stored objects. @default `type` */
  readonly storedType: StructType;
  /** Conversion between the two types. */
  readonly conversion?: {
    readonly toStored: (object: JsonObject) => JsonObject;
    readonly fromStored: (object: JsonObject) => JsonObject;
  };
  /** The group in messages. @default `group` */
  readonly messageGroup?: string;
  /** Warning that each response includes for a deprecated kind. */
  readonly deprecation?: string;
  readonly rules: Rules;
}

/** Returns the API version of a kind, e.g. `v1` or `apps/v1`. */
export function apiVersionOf({ group, version }: Pick<Kind, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}
