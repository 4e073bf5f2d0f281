import { settings as sparkSettings } from "./entries/app.ts";
import type { Setting } from "./setting.ts";

/** What remains of the settings of all sources. */
export interface MergedSettings {
  /** One a key. */
  readonly settings: readonly Setting[];
  /** Keys that are no Spark settings, for `Ignoring non-Spark config property: <key>`. */
  readonly ignoredKeys: readonly string[];
}

/**
 * Makes one list of the settings of several sources, the strongest source first: options, `--conf`, files, environment.
 *
 * The first source that has a key decides; within a source the last setting of a key does, as in a properties file.
 * Source: Spark SparkSubmitArguments, "Dynamically Loading Spark Properties".
 */
export function mergeSettings(sources: readonly (readonly Setting[])[]): MergedSettings {
  const merged = new Map<string, Setting>();
  for (const source of sources) {
    for (const [key, setting] of new Map(source.map((given) => [given.key, given]))) {
      if (!merged.has(key)) merged.set(key, setting);
    }
  }
  const all = [...merged.values()];
  const isSpark = ({ key }: Setting) => key.startsWith(sparkSettings.prefix);
  return {
    settings: all.filter(isSpark),
    ignoredKeys: all.filter((setting) => !isSpark(setting)).map(({ key }) => key),
  };
}
