import { type Issue, issuesOf, type Result, success } from "../errors/issue.ts";
import { orThrow } from "../errors/submit-error.ts";
import type { ConfEntry, PrefixEntry } from "./entry.ts";
import { decidingSetting, type Setting } from "./setting.ts";
import { type SparkVersion, traitsOf } from "./spark-version.ts";
import { type SubstitutionSources, substitute } from "./substitution.ts";

/** Kind of access to a key: alone, as a member of a family, or in a list of all settings. */
export type KeyAccess = "key" | "family" | "list";

/** Callbacks for reads of settings. */
interface ConfObserver {
  /** `entry` is the entry through which the key is read, if it is read through one. */
  readonly onKey: (key: string, access: KeyAccess, entry?: ConfEntry<unknown>) => void;
  readonly onVersion: () => void;
}

/**
 * Settings of one submission with their origins; immutable.
 *
 * @example
 * ```ts
 * const memory = request.conf.text("spark.executor.memory");
 * ```
 */
export class SparkConf {
  readonly #version: SparkVersion;
  readonly #settings: ReadonlyMap<string, Setting>;
  readonly #sources: SubstitutionSources;
  /** Results of earlier reads: the text of a setting is parsed once. */
  readonly #values = new Map<ConfEntry<unknown>, Result<unknown>>();
  /** Result of `settings`, from its first call on. */
  #sorted: readonly Setting[] | undefined;
  readonly #observer: ConfObserver | undefined;

  constructor(
    settings: Iterable<Setting>,
    version: SparkVersion,
    sources: SubstitutionSources,
    observer?: ConfObserver,
  ) {
    this.#settings = new Map([...settings].map((setting) => [setting.key, setting]));
    this.#version = version;
    this.#sources = sources;
    this.#observer = observer;
  }

  get version(): SparkVersion {
    this.#observer?.onVersion();
    return this.#version;
  }

  /** Returns a copy that reports what is read. */
  observed(observer: ConfObserver): SparkConf {
    return new SparkConf(this.#settings.values(), this.#version, this.#sources, observer);
  }

  /** Returns the value of a setting. @throws SubmitError with the issue of an invalid text. */
  get<T>(entry: ConfEntry<T>): T {
    return orThrow(this.read(entry));
  }

  /** Returns the value of a setting, or the issue of an invalid text. */
  read<T>(entry: ConfEntry<T>): Result<T>;
  read(entry: ConfEntry<unknown>): Result<unknown> {
    const known = this.#values.get(entry);
    if (known !== undefined) {
      if (this.#observer !== undefined) this.find(entry);
      return known;
    }
    const value = this.#parse(entry);
    this.#values.set(entry, value);
    return value;
  }

  /** Returns the value of a setting, or its default if the text is invalid. Another check must report the issue. */
  readOrAbsent<T>(entry: ConfEntry<T>): T {
    const value = this.read(entry);
    return value.ok ? value.value : entry.absent;
  }

  #parse(entry: ConfEntry<unknown>): Result<unknown> {
    const setting = this.find(entry);
    if (setting === undefined) return success(entry.absent);
    const text = entry.substitutes
      ? substitute(setting.value, (key) => this.text(key), this.#sources)
      : success(setting.value);
    if (!text.ok) return text;
    // Spark's messages name the entry's own key even if an older key is set.
    return entry.parse(text.value, { key: entry.key, traits: traitsOf(this.#version.line) });
  }

  /** Reports all invalid settings among these entries. */
  check(entries: readonly ConfEntry<unknown>[]): readonly Issue[] {
    return entries.flatMap((entry) => issuesOf(this.read(entry)));
  }

  /** Whether the setting or one of its alternative keys is set. */
  has(entry: ConfEntry<unknown>): boolean {
    return this.find(entry) !== undefined;
  }

  /** Finds the setting that takes effect for an entry: its own key, else the first alternative that is set. */
  find(entry: ConfEntry<unknown>): Setting | undefined {
    const setting = decidingSetting(this.#settings, entry);
    this.#observer?.onKey(setting?.key ?? entry.key, "key", entry);
    return setting;
  }

  /** Returns the text of a key as written, without its alternatives. */
  text(key: string): string | undefined {
    this.#observer?.onKey(key, "key");
    return this.#settings.get(key)?.value;
  }

  /** Returns the members of a family by the rest of their key, sorted. The rest may be empty; the API then rejects the object. */
  withPrefix(entry: PrefixEntry): ReadonlyMap<string, string> {
    const members = this.#sortedSettings().filter(({ key }) => key.startsWith(entry.prefix));
    if (this.#observer !== undefined) for (const { key } of members) this.#observer.onKey(key, "family");
    return new Map(members.map(({ key, value }) => [key.slice(entry.prefix.length), value]));
  }

  /** Returns a copy in which one setting has another text, or is removed. */
  with(key: string, value: string | undefined): SparkConf {
    const settings = new Map(this.#settings);
    const origin = settings.get(key)?.origin ?? { kind: "client", why: "comparison" };
    if (value === undefined) settings.delete(key);
    else settings.set(key, { key, value, origin });
    return new SparkConf(settings.values(), this.#version, this.#sources);
  }

  /** Returns a copy for another release of Spark. */
  as(version: SparkVersion): SparkConf {
    return new SparkConf(this.#settings.values(), version, this.#sources);
  }

  /** Returns all settings, sorted by key. */
  settings(): readonly Setting[] {
    const sorted = this.#sortedSettings();
    if (this.#observer !== undefined) for (const { key } of sorted) this.#observer.onKey(key, "list");
    return sorted;
  }

  #sortedSettings(): readonly Setting[] {
    this.#sorted ??= [...this.#settings.values()].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    return this.#sorted;
  }
}
