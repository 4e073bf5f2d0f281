import type { Result } from "../errors/issue.ts";
import { newestLine, type SparkLineTraits, traitsOf } from "./spark-version.ts";

/** Inputs of reading a value besides its text. */
export interface ReadContext {
  readonly key: string;
  readonly traits: SparkLineTraits;
}

/**
 * Setting: a key and the parser of its text. `conf/entries` declares each `spark.…` key once.
 *
 * `T` includes `undefined` if the setting may be absent and has no default.
 */
export interface ConfEntry<T> {
  readonly key: string;
  /** One or two sentences for docs/configuration.md. */
  readonly doc: string;
  /** First Spark version that has it, or `firesteel`. */
  readonly since: string;
  /** Default in docs/configuration.md and for references `${key}`: `1g`, `${spark.other}`, `(none)`. */
  readonly defaultText: string;
  /** Older names and fallbacks: keys read, in this order, when `key` is absent. */
  readonly alternatives: readonly string[];
  /** Value when no key is set. */
  readonly absent: T;
  /** Parses a text in which references `${…}` are already replaced. */
  readonly parse: (text: string, context: ReadContext) => Result<T>;
  /** Form of the text, for the types of the library. The programs are built without it. @default "text" */
  readonly form?: ValueForm | undefined;
  /** `false`: references `${…}` are not replaced, as in Spark's raw reads. */
  readonly substitutes: boolean;
}

/** Parser of a setting's text, and printer of its value for messages. */
export interface Kind<T> {
  readonly parse: (text: string, context: ReadContext) => Result<T>;
  readonly print: (value: T, traits: SparkLineTraits) => string;
  /** @default "text" */
  readonly form?: ValueForm | undefined;
}

/** Form of a setting's text; for a choice, the allowed texts. */
export type ValueForm = "text" | "boolean" | "number" | "size" | "duration" | "list" | readonly string[];

/** Family of settings, e.g. `spark.kubernetes.driver.label.<key>`. References in their values are not replaced. */
export interface PrefixEntry {
  /** Ends with a dot. */
  readonly prefix: string;
  readonly doc: string;
  readonly since: string;
}

/** Role of the pod to which a setting applies. */
export type Role = "driver" | "executor";

/** One setting for each role. */
type RoleEntry<E> = Readonly<Record<Role, E>>;

/** Builds the entries of both roles from one description. */
export function roleEntry<E>(make: (role: Role) => E): RoleEntry<E> {
  return { driver: make("driver"), executor: make("executor") };
}

/** Description of an entry besides its kind. */
interface EntryText {
  readonly key: string;
  readonly doc: string;
  readonly since: string;
  readonly alternatives?: readonly string[];
  /** Does not replace references `${…}`. @default false */
  readonly raw?: boolean;
}

/** Declares a setting with a default, which is a text as a user would write it. */
export function entry<T>(kind: Kind<T>, text: EntryText & { default: string }): ConfEntry<T> {
  return new EntryWithDefault(kind, text);
}

/** Declares a setting that may be absent. */
export function optionalEntry<T>(kind: Kind<T>, text: EntryText): ConfEntry<T | undefined> {
  return new OptionalEntry(kind, text);
}

/**
 * Declares a setting whose default is another setting.
 *
 * Messages name the key of the other setting, as Spark's do.
 */
export function fallbackEntry<T>(target: ConfEntry<T>, text: EntryText): ConfEntry<T> {
  return new FallbackEntry(target, text);
}

/** Default text of a setting that may be absent. */
export const noDefault = "(none)";

// Classes with getters: every start creates all entries but reads few of them.
class DescribedEntry<R extends { readonly form?: ValueForm | undefined }, D extends EntryText> {
  protected readonly reader: R;
  protected readonly text: D;

  constructor(reader: R, text: D) {
    this.reader = reader;
    this.text = text;
  }

  get key(): string {
    return this.text.key;
  }

  get doc(): string {
    return this.text.doc;
  }

  get since(): string {
    return this.text.since;
  }

  get form(): ValueForm | undefined {
    return this.reader.form;
  }

  get alternatives(): readonly string[] {
    return this.text.alternatives ?? noKeys;
  }

  get substitutes(): boolean {
    return this.text.raw !== true;
  }
}

class EntryWithDefault<T> extends DescribedEntry<Kind<T>, EntryText & { default: string }> implements ConfEntry<T> {
  get defaultText(): string {
    return this.text.default;
  }

  get absent(): T {
    const value = this.parse(this.defaultText, { key: this.key, traits: traitsOf(newestLine) });
    if (!value.ok) throw new Error(`The default of ${this.key} is not allowed.`);
    return value.value;
  }

  get parse(): Kind<T>["parse"] {
    return this.reader.parse;
  }
}

class OptionalEntry<T> extends DescribedEntry<Kind<T>, EntryText> implements ConfEntry<T | undefined> {
  get defaultText(): string {
    return noDefault;
  }

  get absent(): undefined {
    return undefined;
  }

  get parse(): Kind<T>["parse"] {
    return this.reader.parse;
  }
}

class FallbackEntry<T> extends DescribedEntry<ConfEntry<T>, EntryText> implements ConfEntry<T> {
  get defaultText(): string {
    return `\${${this.reader.key}}`;
  }

  override get alternatives(): readonly string[] {
    return [...super.alternatives, this.reader.key, ...this.reader.alternatives];
  }

  get absent(): T {
    return this.reader.absent;
  }

  parse(value: string, { traits }: ReadContext): Result<T> {
    return this.reader.parse(value, { key: this.reader.key, traits });
  }
}

const noKeys: readonly string[] = [];
