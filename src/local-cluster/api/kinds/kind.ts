import type { ResourceType } from "../../../kube/resources.ts";
import { isObject, type JsonObject } from "../json.ts";
import { type Decoded, decode } from "../schema/decode.ts";
import type { StructType } from "../schema/schema.ts";
import type { CollectionName } from "../store.ts";
import type { CustomFormat } from "./custom-format.ts";
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
  /** Verbs in discovery. @default `verbs` */
  readonly listedVerbs?: readonly Verb[];
  readonly subresources: readonly Subresource[];
  /** Collection that stores its objects; two versions of a kind share it. */
  readonly collection: CollectionName;
  /** Type of the objects in requests and responses. */
  readonly type: StructType;
  /** Conversion to and from the version in which the objects are stored, if it is another one. */
  readonly conversion?: {
    readonly toStored: (object: JsonObject) => JsonObject;
    readonly fromStored: (object: JsonObject) => JsonObject;
  };
  /** Format of the objects of a custom resource, whose `type` has no fields. */
  readonly custom?: CustomFormat;
  /** The group in messages. @default `group` */
  readonly messageGroup?: string;
  /** Warning that each response includes for a deprecated kind. */
  readonly deprecation?: string;
  readonly rules: Rules;
}

/** Whether a subresource writes the status of an object: `status`, or a part of it. */
export function writesStatus({ rules }: Pick<Kind, "rules">, subresource: string | undefined): boolean {
  if (subresource === undefined) return false;
  return subresource === "status" || rules.parts?.[subresource]?.writes === "status";
}

/** Decodes an object of a kind. @throws DecodeError */
export function decodeAs({ custom, type }: Kind, object: unknown): Decoded {
  return custom !== undefined && isObject(object) ? custom.decode(object) : decode(type, object);
}

/** Returns the API version of a kind, e.g. `v1` or `apps/v1`. */
export function apiVersionOf({ group, version }: Pick<Kind, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}
