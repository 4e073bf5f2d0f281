import type { Clock, Random } from "../../../host/host.ts";
import type { Draft } from "../object.ts";
import type { Store } from "../store.ts";
import type { FieldError } from "../validation/field-error.ts";
import type { NameRule } from "../validation/names.ts";
import type { Addresses } from "./addresses.ts";

/** What rules may look at besides the object. */
export interface RuleScope {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly addresses: Addresses;
}

/** A method's type, so that rules of one kind are rules: which objects reach them is settled by decoding. */
type Reader<T> = { read(object: T): string }["read"];

/**
 * What one kind does differently from all others, written against its own type: a request's object was read by that type before.
 * The order of a write: `fill`, `prepare` or `prepareUpdate`, `validate` or `validateUpdate`, then the store.
 */
export interface Rules<T extends Draft = Draft> {
  /** Default: RFC 1123 subdomain. */
  readonly name?: NameRule;
  /** Has a status that only `/status` writes. */
  readonly hasStatus?: boolean;
  /** PUT creates what does not exist. */
  readonly createsOnUpdate?: boolean;
  /** PUT must say which revision it replaces. */
  readonly needsRevision?: boolean;
  /** DELETE answers with the object, not with a Status. */
  readonly showsDeleted?: boolean;
  /** DELETE waits for somebody to end it, for this many seconds; `undefined`: it goes at once. */
  grace?(object: T): number | undefined;
  /** Counts changes of what is wanted: `metadata.generation`. `fixed`: is 1 for ever. */
  readonly generation?: "spec" | "fixed";
  /** Writes defaults into the object. */
  fill?(object: T): void;
  /** Writes what the server decides on creation: status, addresses. */
  prepare?(object: T, scope: RuleScope): void;
  /** Writes what the server decides, or keeps, on an update. */
  prepareUpdate?(object: T, old: T, scope: RuleScope): void;
  /** Writes what the server keeps when a status is written. */
  prepareStatus?(object: T, old: T): void;
  validate?(object: T, scope: RuleScope): FieldError[];
  validateUpdate?(object: T, old: T, scope: RuleScope): FieldError[];
  validateStatus?(object: T, old: T): FieldError[];
  /** Texts for `Warning` headers. */
  warn?(object: T, old: T | undefined): string[];
  /** Fields that field selectors may name, besides metadata.name and metadata.namespace. */
  readonly selectable?: Readonly<Record<string, Reader<T>>>;
  /** What a selector for an unknown field is told; default: the general text. */
  unknownField?(field: string): string;
}
