import type { Clock, Random } from "../../../host/host.ts";
import type { Draft } from "../object.ts";
import type { Store } from "../store.ts";
import type { FieldError } from "../validation/field-error.ts";
import type { NameRule } from "../validation/names.ts";
import type { Addresses } from "./addresses.ts";

/** State and services that rules use. */
export interface RuleScope {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly addresses: Addresses;
}

/** The user who creates an object. */
export interface Author {
  readonly name: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Method type, which makes `Rules<T>` assignable to `Rules`: decoding ensures that only matching objects reach the rules. */
type Reader<T> = { read(object: T): string }["read"];

/** Rules of a subresource that writes one part of a stored object, such as `pods/resize`. */
export interface PartRules<T extends Draft = Draft> {
  /** Location of the part. */
  readonly writes: "spec" | "status";
  /** Whether the metadata that the client sent is ignored. @default false */
  readonly keepsMetadata?: boolean;
  /** Returns the stored object with the part that the client sent. The metadata is ignored. */
  write(sent: T, old: T, scope: RuleScope): T;
  validate(object: T, old: T): FieldError[];
}

/**
 * Behavior of one kind, for its own type: requests were decoded as that type.
 *
 * Order of a write: `fill`, `prepare` or `prepareUpdate`, `validate` or `validateUpdate`, then the store.
 */
export interface Rules<T extends Draft = Draft> {
  /** Format of names. @default RFC 1123 subdomain */
  readonly name?: NameRule;
  /** Whether it has a status that only `/status` writes. */
  readonly hasStatus?: boolean;
  /** Whether PUT creates missing objects. */
  readonly createsOnUpdate?: boolean;
  /** Whether PUT requires a resourceVersion. */
  readonly needsRevision?: boolean;
  /** Whether DELETE responds with the object instead of a Status. */
  readonly showsDeleted?: boolean;
  /** Returns an object that a deletion at `time` marks as terminating, until its controller removes it. */
  terminate?(object: Draft, time: string): Draft;
  /** Returns the grace period of DELETE in seconds; `undefined`: objects are deleted immediately. */
  grace?(object: T): number | undefined;
  /**
   * Updates of `metadata.generation`: `spec` counts changes of the spec, `content` those of all fields besides the metadata, and `fixed`
   * is always 1.
   */
  readonly generation?: "spec" | "content" | "fixed";
  /** Whether finalizers may have no prefix. */
  readonly acceptsAnyFinalizer?: boolean;
  /** Sets defaults. */
  fill?(object: T): void;
  /** Fields that a write by a subresource, or by the object's own path (`""`), does not own: the server resets them. */
  readonly resetFields?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Sets what the server decides at creation: status, addresses. */
  prepare?(object: T, scope: RuleScope, author: Author): void;
  /** Sets what the server decides or keeps on an update. */
  prepareUpdate?(object: T, old: T, scope: RuleScope): void;
  /** Sets what the server keeps on a status update. */
  prepareStatus?(object: T, old: T, scope: RuleScope): void;
  validate?(object: T, scope: RuleScope): FieldError[];
  validateUpdate?(object: T, old: T, scope: RuleScope): FieldError[];
  validateStatus?(object: T, old: T): FieldError[];
  /** Subresources besides `status` that PUT and PATCH write, by name. */
  readonly parts?: Readonly<Record<string, PartRules<T>>>;
  /** Returns texts of `Warning` headers. */
  warn?(object: T, old: T | undefined): string[];
  /** Fields that field selectors can use besides metadata.name and metadata.namespace. */
  readonly selectable?: Readonly<Record<string, Reader<T>>>;
  /** Error message for selectors of an unknown field. @default a general message */
  unknownField?(field: string): string;
}
