import type { Issue } from "../errors/issue.ts";
import { parseProperties } from "../values/properties.ts";
import { substitute } from "./substitution.ts";

/** Settings in a properties file, or the reason why it is invalid. */
type PropertiesSettings =
  | { readonly ok: true; readonly settings: ReadonlyMap<string, string>; readonly issues: readonly Issue[] }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads the settings in a properties file: keys that start with `spark.`. Replaces references such as `${env:NAME}`.
 *
 * Errors: SUBMIT_ERR_SETTING_CIRCULAR, as issues. Source: Spark ConfigReader.
 */
export function propertiesSettings(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): PropertiesSettings {
  const parsed = parseProperties(text);
  if (!parsed.ok) return parsed;
  const raw = new Map([...parsed.entries].filter(([key]) => key.startsWith("spark.")));
  const issues: Issue[] = [];
  const settings = new Map<string, string>();
  for (const [key, value] of raw) {
    const substituted = substitute(value, (name) => raw.get(name), { env, defaults: () => undefined });
    if (substituted.ok) settings.set(key, substituted.value);
    else issues.push(...substituted.issues);
  }
  return { ok: true, settings, issues };
}
