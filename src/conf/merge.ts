import { settings as sparkSettings } from "./entries/app.ts";
import type { Setting } from "./setting.ts";

/** Merged settings of all sources. */
interface MergedSettings {
  /** One setting per key. */
  readonly settings: readonly Setting[];
  /** Keys without the prefix `spark.`, for `Ignoring non-Spark config property: <key>`. */
  readonly ignoredKeys: readonly string[];
}

/**
 * Merges the settings of several sources in order of precedence: options, `--conf`, files, environment.
 *
 * The first source that contains a key takes precedence; within a source, the last setting of a key does, as in a properties file.
 * Source: Spark SparkSubmitArguments, "Dynamically Loading Spark Properties".
 */
export function mergeSettings(sources: readonly (readonly Setting[])[]): MergedSettings {
  const merged = new Map<string, Setting>();
  for (const source of sources) {
    for (const [key, setting] of new Map(source.map((candidate) => [candidate.key, candidate]))) {
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
