import type { Result } from "../errors/issue.ts";
import { newestLine, type SparkLineTraits, traitsOf } from "./spark-version.ts";

/** What reading a value depends on besides its text. */
export interface ReadContext {
  readonly key: string;
  readonly traits: SparkLineTraits;
}

/**
 * One setting: a key, and how its text becomes a value. Each `spark.…` key stands once, in `conf/entries`.
 *
 * `T` contains `undefined` where the setting may be absent and has no default.
 */
export interface ConfEntry<T> {
  readonly key: string;
  /** One or two sentences for docs/configuration.md. */
  readonly doc: string;
  /** First Spark version that has it, or `firesteel`. */
  readonly since: string;
  /** As docs/configuration.md shows it, and as `${key}` stands for it: `1g`, `${spark.other}`, `(none)`. */
  readonly defaultText: string;
  /** Older names and fallbacks: keys read, in this order, when `key` is absent. */
  readonly alternatives: readonly string[];
  /** Value when no key is set. */
  readonly absent: T;
  /** Text to value; `${…}` is already replaced. */
  readonly parse: (text: string, context: ReadContext) => Result<T>;
  /** `false`: the text is taken as it stands, `${…}` included, as Spark's raw reads do. */
  readonly substitutes: boolean;
}

/** How the text of a setting becomes a value, and how messages show that value. */
export interface Kind<T> {
  readonly parse: (text: string, context: ReadContext) => Result<T>;
  readonly print: (value: T, traits: SparkLineTraits) => string;
}

/** A family of settings, e.g. `spark.kubernetes.driver.label.<key>`. Values are never substituted. */
export interface PrefixEntry {
  /** Ends with a dot. */
  readonly prefix: string;
  readonly doc: string;
  readonly since: string;
}

/** Whose pod a setting is about. */
export type Role = "driver" | "executor";

/** The same setting for both roles. */
export type RoleEntry<E> = Readonly<Record<Role, E>>;

/** Makes the pair from one description. */
export function roleEntry<E>(make: (role: Role) => E): RoleEntry<E> {
  return { driver: make("driver"), executor: make("executor") };
}

/** What describes an entry besides its kind. */
export interface EntryText {
  readonly key: string;
  readonly doc: string;
  readonly since: string;
  readonly alternatives?: readonly string[];
  /** The text is taken as it stands, `${…}` included. @default false */
  readonly raw?: boolean;
}

/** A setting with a default, given as the text that a user would write. */
export function entry<T>(kind: Kind<T>, text: EntryText & { default: string }): ConfEntry<T> {
  return new EntryWithDefault(kind, text);
}

// A class, for there are many, and a getter on each would cost a start more than all else of them.
class EntryWithDefault<T> implements ConfEntry<T> {
  readonly key: string;
  readonly doc: string;
  readonly since: string;
  readonly defaultText: string;
  readonly alternatives: readonly string[];
  readonly substitutes: boolean;
  readonly parse: Kind<T>["parse"];

  constructor(kind: Kind<T>, text: EntryText & { default: string }) {
    this.key = text.key;
    this.doc = text.doc;
    this.since = text.since;
    this.defaultText = text.default;
    this.alternatives = text.alternatives ?? noKeys;
    this.substitutes = text.raw !== true;
    this.parse = kind.parse;
  }

  /** Read when asked for: a submission asks for few of all defaults, and its start counts. */
  get absent(): T {
    const value = this.parse(this.defaultText, { key: this.key, traits: traitsOf(newestLine) });
    if (!value.ok) throw new Error(`The default of ${this.key} is not allowed.`);
    return value.value;
  }
}

/** The default text of a setting that may be absent. */
export const noDefault = "(none)";

/** A setting that may be absent. */
export function optionalEntry<T>(kind: Kind<T>, text: EntryText): ConfEntry<T | undefined> {
  return {
    key: text.key,
    doc: text.doc,
    since: text.since,
    defaultText: noDefault,
    alternatives: text.alternatives ?? noKeys,
    substitutes: text.raw !== true,
    parse: kind.parse,
    absent: undefined,
  };
}

/**
 * A setting that is another one, unless it is given itself.
 *
 * Messages name the other one's key, as Spark's do.
 */
export function fallbackEntry<T>(target: ConfEntry<T>, text: EntryText): ConfEntry<T> {
  return {
    key: text.key,
    doc: text.doc,
    since: text.since,
    defaultText: `\${${target.key}}`,
    alternatives: [...(text.alternatives ?? noKeys), target.key, ...target.alternatives],
    substitutes: text.raw !== true,
    parse: (value, { traits }) => target.parse(value, { key: target.key, traits }),
    get absent() {
      return target.absent;
    },
  };
}

const noKeys: readonly string[] = [];
