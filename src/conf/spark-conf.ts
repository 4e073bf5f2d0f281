import { type Issue, issuesOf, type Result, success } from "../errors/issue.ts";
import { orThrow } from "../errors/submit-error.ts";
import type { ConfEntry, PrefixEntry } from "./entry.ts";
import { decidingSetting, type Setting } from "./setting.ts";
import { type SparkVersion, traitsOf } from "./spark-version.ts";
import { type SubstitutionSources, substitute } from "./substitution.ts";

/** All settings of one submission, immutable, with their origin. */
export class SparkConf {
  readonly version: SparkVersion;
  readonly #settings: ReadonlyMap<string, Setting>;
  readonly #sources: SubstitutionSources;
  /** Results of earlier reads: the text of a setting is parsed once. */
  readonly #values = new Map<ConfEntry<unknown>, Result<unknown>>();
  /** Result of `settings`, from its first call on. */
  #sorted: readonly Setting[] | undefined;

  constructor(settings: Iterable<Setting>, version: SparkVersion, sources: SubstitutionSources) {
    this.#settings = new Map([...settings].map((setting) => [setting.key, setting]));
    this.version = version;
    this.#sources = sources;
  }

  /** The value of a setting. @throws SubmitError with the issue when its text is not allowed. */
  get<T>(entry: ConfEntry<T>): T {
    return orThrow(this.read(entry));
  }

  /** The value of a setting, or why its text is not allowed. */
  read<T>(entry: ConfEntry<T>): Result<T>;
  read(entry: ConfEntry<unknown>): Result<unknown> {
    const known = this.#values.get(entry);
    if (known !== undefined) return known;
    const value = this.#parse(entry);
    this.#values.set(entry, value);
    return value;
  }

  /** The value of a setting; its default or `undefined` when the setting is invalid, which another check reports. */
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
    // Spark's messages name the entry's own key even where an older one decided.
    return entry.parse(text.value, { key: entry.key, traits: traitsOf(this.version.line) });
  }

  /** Every problem of these settings. */
  check(entries: readonly ConfEntry<unknown>[]): readonly Issue[] {
    return entries.flatMap((entry) => issuesOf(this.read(entry)));
  }

  /** True when the setting, or an alternative key of it, is given. */
  has(entry: ConfEntry<unknown>): boolean {
    return this.find(entry) !== undefined;
  }

  /** The setting that decides an entry: its own key, else the first alternative that is given. */
  find(entry: ConfEntry<unknown>): Setting | undefined {
    return decidingSetting(this.#settings, entry);
  }

  /** The text of a key as written, not of its alternatives. */
  text(key: string): string | undefined {
    return this.#settings.get(key)?.value;
  }

  /** Members of a family, by what follows the prefix, sorted. Nothing may follow it: the API refuses what comes of that. */
  withPrefix(entry: PrefixEntry): ReadonlyMap<string, string> {
    return new Map(
      this.settings()
        .filter(({ key }) => key.startsWith(entry.prefix))
        .map(({ key, value }) => [key.slice(entry.prefix.length), value]),
    );
  }

  /** The same settings with another text for one of them, or without it. */
  with(key: string, value: string | undefined): SparkConf {
    const settings = new Map(this.#settings);
    const origin = settings.get(key)?.origin ?? { kind: "client", why: "comparison" };
    if (value === undefined) settings.delete(key);
    else settings.set(key, { key, value, origin });
    return new SparkConf(settings.values(), this.version, this.#sources);
  }

  /** The same settings, read as another release of Spark reads them. */
  as(version: SparkVersion): SparkConf {
    return new SparkConf(this.#settings.values(), version, this.#sources);
  }

  /** All settings, sorted by key. */
  settings(): readonly Setting[] {
    this.#sorted ??= [...this.#settings.values()].sort((a, b) =>
      a.key < b.key ? -1 : a.key > b.key ? 1 : 0,
    );
    return this.#sorted;
  }
}
