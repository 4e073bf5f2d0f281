import type { CustomResourceColumnDefinition } from "kubernetes-types/apiextensions/v1.d.ts";
import type { JsonObject } from "../json.ts";
import type { Decoded } from "../schema/decode.ts";
import type { StoredObject } from "../store.ts";
import type { Schema } from "../structural/schema.ts";

/** Paths of the `scale` subresource, as lists of fields. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly selector: readonly string[] | undefined;
}

/** Conversion between the stored version of a kind's objects and another one. */
export interface VersionConversion {
  readonly collection: string;
  /** Returns the object as it is if it needs no conversion. */
  readonly fromStored: (object: StoredObject) => StoredObject;
  readonly toStored: (object: unknown) => unknown;
}

/** Format of the objects of a custom resource, which have a schema instead of a type. */
export interface CustomFormat {
  readonly schema: Schema;
  /** Revision of the definition, which changes with the schema. */
  readonly revision: string;
  readonly listKind: string | undefined;
  /** Columns of tables. @default the age */
  readonly columns: readonly CustomResourceColumnDefinition[] | undefined;
  readonly scale: ScalePaths | undefined;
  /** Decodes an object: removes unknown fields and sets defaults. @throws DecodeError */
  readonly decode: (object: JsonObject) => Decoded;
  readonly conversion: VersionConversion;
}
