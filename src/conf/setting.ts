import type { ConfEntry } from "./entry.ts";

/**
 * Origin of a setting's text, for `--verbose` and messages.
 *
 * @example
 * ```ts
 * const origin: SettingOrigin = { kind: "option", option: "--name" };
 * ```
 */
export type SettingOrigin =
  | { readonly kind: "option"; readonly option: string }
  | { readonly kind: "conf" }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "environment"; readonly variable: string }
  | { readonly kind: "client"; readonly why: string };

/**
 * Setting as text.
 *
 * @example
 * ```ts
 * const setting: Setting = { key: "spark.executor.cores", value: "2", origin: { kind: "conf" } };
 * ```
 */
export interface Setting {
  readonly key: string;
  readonly value: string;
  readonly origin: SettingOrigin;
}

/** Finds the setting that takes effect for an entry: its own key, else the first alternative that is set. */
export function decidingSetting(
  settings: ReadonlyMap<string, Setting>,
  { key, alternatives }: Pick<ConfEntry<unknown>, "key" | "alternatives">,
): Setting | undefined {
  const own = settings.get(key);
  if (own !== undefined || alternatives.length === 0) return own;
  return settings.get(alternatives.find((alternative) => settings.has(alternative)) ?? key);
}
