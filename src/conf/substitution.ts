import { type Issue, issue, type Result, success, unlessIssues } from "../errors/issue.ts";

/** Targets of references `${…}`. */
export interface SubstitutionSources {
  /** Values of `${env:NAME}`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values of `${system:name}`: JVM properties that are known without a JVM, e.g. `user.home`. */
  readonly system?: Readonly<Record<string, string | undefined>>;
  /** Returns the default text of a key that is not set. */
  readonly defaults: (key: string) => string | undefined;
}

/**
 * Replaces `${spark.key}`, `${env:NAME}` and `${system:name}` recursively. References that cannot be resolved remain.
 *
 * Errors: SUBMIT_ERR_SETTING_CIRCULAR. Source: Spark ConfigReader.
 */
export function substitute(
  text: string,
  settingText: (key: string) => string | undefined,
  sources: SubstitutionSources,
): Result<string> {
  if (!text.includes("${")) return success(text);
  const resolve = (prefix: string | undefined, name: string): string | undefined => {
    if (prefix === "env") return sources.env[name];
    if (prefix === "system") return sources.system?.[name];
    return prefix === undefined ? (settingText(name) ?? sources.defaults(name)) : undefined;
  };
  const expand = (part: string, seen: readonly string[]): Result<string> => {
    const issues: Issue[] = [];
    // No name follows the last brace. Searching there for each `${` would take quadratic time.
    const end = part.lastIndexOf("}") + 1;
    const expanded = part
      .slice(0, end)
      .replace(/\$\{(?:(\w+?):)?(\S+?)\}/g, (match: string, prefix: string | undefined, name: string) => {
        const reference = prefix === undefined ? name : `${prefix}:${name}`;
        if (seen.includes(reference)) {
          issues.push(issue("SUBMIT_ERR_SETTING_CIRCULAR", { text: part, reference }));
          return match;
        }
        const value = resolve(prefix, name);
        if (value === undefined) return match;
        const inner = expand(value, [...seen, reference]);
        if (inner.ok) return inner.value;
        issues.push(...inner.issues);
        return match;
      });
    return unlessIssues(issues, expanded + part.slice(end));
  };
  return expand(text, []);
}
