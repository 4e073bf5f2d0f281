import type { Result } from "../errors/issue.ts";
import type { SparkLineTraits } from "./spark-version.ts";

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
  /** As docs/configuration.md shows it. */
  readonly defaultText: string;
  /** Keys read, in this order, when `key` is absent. */
  readonly alternatives: readonly string[];
  /** Value when no key is set. */
  readonly absent: T;
  /** Text to value; `${…}` is already replaced. */
  readonly parse: (text: string, context: ReadContext) => Result<T>;
  /** `false`: the text is taken as it stands, `${…}` included, as Spark's raw reads do. */
  readonly substitutes: boolean;
}

/** A family of settings, e.g. `spark.kubernetes.driver.label.<key>`. Values are never substituted. */
export interface PrefixEntry {
  /** Ends with a dot. */
  readonly prefix: string;
  readonly doc: string;
  readonly since: string;
}

export type Role = "driver" | "executor";

/** The same setting for both roles. */
export type RoleEntry<E> = Readonly<Record<Role, E>>;

/** Makes the pair from one description. */
export function roleEntry<E>(make: (role: Role) => E): RoleEntry<E> {
  return { driver: make("driver"), executor: make("executor") };
}
