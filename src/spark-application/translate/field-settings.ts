import type { Setting } from "../../conf/setting.ts";

/** Settings that fields of a file determine. A later value of a key replaces an earlier one. */
export class FieldSettings {
  readonly #settings = new Map<string, Setting>();
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Sets a key, unless the value is absent or an empty text. */
  set(key: string, value: string | number | boolean | undefined, path: string): void {
    if (value !== undefined && value !== "") this.put(key, String(value), path);
  }

  /** Sets a key, also to an empty text. */
  put(key: string, value: string, path: string): void {
    this.#settings.set(key, { key, value, origin: { kind: "file", path: `${this.#file}: ${path}` } });
  }

  /** Sets a key for each entry of a map. */
  putAll(prefix: string, values: Readonly<Record<string, string>> | undefined, path: string): void {
    for (const [name, value] of Object.entries(values ?? {})) this.put(`${prefix}${name}`, value, `${path}.${name}`);
  }

  value(key: string): string | undefined {
    return this.#settings.get(key)?.value;
  }

  remove(key: string): void {
    this.#settings.delete(key);
  }

  /** Lists the settings in the order in which their keys were first set. */
  list(): readonly Setting[] {
    return [...this.#settings.values()];
  }
}
