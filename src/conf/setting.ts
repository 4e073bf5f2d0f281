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
