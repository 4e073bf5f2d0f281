import type { ConfEntry } from "./entry.ts";

/** Where the text of a setting came from; shown by `--verbose` and in messages. */
export type SettingOrigin =
  | { readonly kind: "option"; readonly option: string }
  | { readonly kind: "conf" }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "environment"; readonly variable: string }
  | { readonly kind: "client"; readonly why: string };

/** One setting as text. */
export interface Setting {
  readonly key: string;
  readonly value: string;
  readonly origin: SettingOrigin;
}

/** The setting that decides an entry: its own key, else the first alternative that is given. */
export function decidingSetting(
  settings: ReadonlyMap<string, Setting>,
  { key, alternatives }: Pick<ConfEntry<unknown>, "key" | "alternatives">,
): Setting | undefined {
  const own = settings.get(key);
  if (own !== undefined || alternatives.length === 0) return own;
  return settings.get(alternatives.find((alternative) => settings.has(alternative)) ?? key);
}
