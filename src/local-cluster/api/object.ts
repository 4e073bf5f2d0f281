import type { ObjectMeta } from "../../kube/types.ts";
import { isObject } from "./json.ts";

/** Metadata of an object that is not stored yet. */
export type Meta = { -readonly [Field in keyof ObjectMeta]: ObjectMeta[Field] };

/** An object that is not stored yet: defaults and server-set fields may still be written into it. */
export interface Draft {
  apiVersion: string;
  kind: string;
  metadata: Meta;
  [field: string]: unknown;
}

/** Whether a decoded object has the fields that all kinds have. */
export function isDraft(value: Readonly<Record<string, unknown>>): value is Draft {
  return typeof value["apiVersion"] === "string" && typeof value["kind"] === "string" && isObject(value["metadata"]);
}

/** Returns the name of an object for messages: the prefix of a name that is not generated yet. */
export function nameOf({ metadata }: Draft): string {
  const { name = "", generateName = "" } = metadata;
  return name === "" ? generateName : name;
}
