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

/** A setting that may be absent. */
export function optionalEntry<T>(kind: Kind<T>, text: EntryText): ConfEntry<T | undefined> {
  return new OptionalEntry(kind, text);
}

/**
 * A setting that is another one, unless it is given itself.
 *
 * Messages name the other one's key, as Spark's do.
 */
export function fallbackEntry<T>(target: ConfEntry<T>, text: EntryText): ConfEntry<T> {
  return new FallbackEntry(target, text);
}

/** The default text of a setting that may be absent. */
export const noDefault = "(none)";

// Classes that look into their description when they are asked: each start makes all entries, and asks few of them.
class DescribedEntry<R, D extends EntryText> {
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

  get alternatives(): readonly string[] {
    return this.text.alternatives ?? noKeys;
  }

  get substitutes(): boolean {
    return this.text.raw !== true;
  }
}

class EntryWithDefault<T>
  extends DescribedEntry<Kind<T>, EntryText & { default: string }>
  implements ConfEntry<T>
{
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
