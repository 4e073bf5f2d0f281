/** Settings of which fields take some; the rest remains. */
export class SettingsTaker {
  readonly #left: Map<string, string>;

  constructor(settings: ReadonlyMap<string, string>) {
    this.#left = new Map(settings);
  }

  /** Removes a setting and returns its value. */
  take(key: string): string | undefined {
    const value = this.#left.get(key);
    this.#left.delete(key);
    return value;
  }

  /** Removes a list and returns its items. */
  takeList(key: string): readonly string[] | undefined {
    const items = this.take(key)
      ?.split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
    return items === undefined || items.length === 0 ? undefined : items;
  }

  /** Removes a setting whose value is a number; leaves any other. */
  takeInteger(key: string): number | undefined {
    const value = this.#left.get(key);
    if (value === undefined || !/^\d{1,15}$/.test(value)) return undefined;
    this.#left.delete(key);
    return Number(value);
  }

  /** Removes a setting that is true or false; leaves any other. */
  takeFlag(key: string): boolean | undefined {
    const value = this.#left.get(key);
    if (value !== "true" && value !== "false") return undefined;
    this.#left.delete(key);
    return value === "true";
  }

  /** Removes a family of settings and returns it without the prefix; `undefined` if there is none. */
  takeFamily(prefix: string): Readonly<Record<string, string>> | undefined {
    const found = [...this.#left].filter(([key]) => key.startsWith(prefix));
    for (const [key] of found) this.#left.delete(key);
    if (found.length === 0) return undefined;
    return Object.fromEntries(found.map(([key, value]) => [key.slice(prefix.length), value]));
  }

  has(key: string): boolean {
    return this.#left.has(key);
  }

  /** Returns what no field has taken, sorted by key. */
  rest(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#left].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Fields that are absent instead of undefined. */
type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns an object without fields that are undefined. */
export function present<T extends object>(fields: T): Present<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  const result: Present<T> = {};
  return Object.assign(result, Object.fromEntries(entries));
}
