import type { ResourceType } from "../../../kube/resources.ts";
import type { JsonObject } from "../json.ts";
import type { StructType } from "../schema/schema.ts";
import type { CollectionName } from "../store.ts";
import type { Rules } from "./rules.ts";

/** What may be asked of a resource, as discovery and roles name it. */
export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** A part or an action of an object with a path of its own, e.g. `pods/log`. */
export interface Subresource {
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** The kind of its bodies; `group` and `version` are empty where they are the object's own. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
}

/** A kind that the API serves. */
export interface Kind extends ResourceType {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  readonly subresources: readonly Subresource[];
  /** Where its objects are kept; two versions of one kind share it. */
  readonly collection: CollectionName;
  /** Of the bodies of requests and answers. */
  readonly type: StructType;
  /** Of the objects as they are kept; default: the same. */
  readonly storedType: StructType;
  /** Between the two, where they differ. */
  readonly conversion?: {
    readonly toStored: (object: JsonObject) => JsonObject;
    readonly fromStored: (object: JsonObject) => JsonObject;
  };
  /** The group in messages, where it is another. */
  readonly messageGroup?: string;
  /** Told with every answer about a kind that is on its way out. */
  readonly deprecation?: string;
  readonly rules: Rules;
}

/** `v1`, `apps/v1`. */
export function apiVersionOf({ group, version }: Pick<Kind, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}
