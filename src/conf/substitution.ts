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

/** Characters of all replaced values together: as many as a ConfigMap can hold, with which the driver's settings end. */
const maxExpandedLength = 1024 * 1024;
/** References within references. */
const maxDepth = 200;

/**
 * Replaces `${spark.key}`, `${env:NAME}` and `${system:name}` recursively. References that cannot be resolved remain.
 *
 * Errors: SUBMIT_ERR_SETTING_CIRCULAR, SUBMIT_ERR_SETTING_EXPANSION. Source: Spark ConfigReader, which has no limits.
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
  const issues: Issue[] = [];
  let expandedLength = 0;
  const expand = (part: string, seen: readonly string[]): string =>
    replaceReferences(part, (match, prefix, name) => {
      const reference = prefix === undefined ? name : `${prefix}:${name}`;
      if (seen.includes(reference)) {
        issues.push(issue("SUBMIT_ERR_SETTING_CIRCULAR", { text: part, reference }));
        return match;
      }
      const value = expandedLength > maxExpandedLength ? undefined : resolve(prefix, name);
      if (value === undefined) return match;
      expandedLength += value.length;
      if (expandedLength <= maxExpandedLength && seen.length < maxDepth) return expand(value, [...seen, reference]);
      expandedLength = Infinity;
      issues.push(issue("SUBMIT_ERR_SETTING_EXPANSION", { reference }));
      return match;
    });
  const expanded = expand(text, []);
  return unlessIssues(issues, expanded);
}

/** Replaces each reference. Takes linear time: one contains no whitespace and ends with a brace, so none starts elsewhere. */
function replaceReferences(
  text: string,
  replace: (match: string, prefix: string | undefined, name: string) => string,
): string {
  return text.replace(/[^ \t\n\v\f\r]+/g, (part) => {
    const end = part.lastIndexOf("}") + 1;
    return part.slice(0, end).replace(/\$\{(?:(\w+?):)?([^ ]+?)\}/g, replace) + part.slice(end);
  });
}
