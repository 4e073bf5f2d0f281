import type { CustomResourceColumnDefinition } from "kubernetes-types/apiextensions/v1.d.ts";
import type { JsonObject } from "../json.ts";
import type { Decoded } from "../schema/decode.ts";
import type { StoredObject } from "../store.ts";
import type { Schema } from "../structural/schema.ts";
import type { WebhookAddress } from "../webhook.ts";

/** Paths of the `scale` subresource, as lists of fields. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly selector: readonly string[] | undefined;
}

/** A version to which a webhook converts objects. */
export interface VersionTarget {
  /** Such as `example.com/v2`. */
  readonly apiVersion: string;
  readonly address: WebhookAddress;
  /** Objects of other versions that the webhook has converted, and their forms in this version. */
  readonly results: WeakMap<object, JsonObject>;
  /** Removes unknown fields and sets defaults. */
  readonly complete: (object: JsonObject) => JsonObject;
}

/** Conversion between the stored version of a kind's objects and another one. */
export interface VersionConversion {
  readonly collection: string;
  /** Returns the object as it is if it needs no conversion. @throws UnconvertedError if a webhook must convert it first */
  readonly fromStored: (object: StoredObject) => StoredObject;
  /** `last`: the stored object that it replaces. @throws UnconvertedError if a webhook must convert it first */
  readonly toStored: (object: unknown, last?: StoredObject) => unknown;
  /** Targets of the webhook that converts objects. @default only `apiVersion` changes */
  readonly webhook?: {
    /** The kind's version. */
    readonly own: VersionTarget;
    /** The version of stored objects. */
    readonly stored: VersionTarget;
  };
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
