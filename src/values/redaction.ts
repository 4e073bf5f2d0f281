/** What is shown instead of a secret. */
export const redactedText = "*********(redacted)";

/** What the driver's properties show instead of an OAuth token. */
export const presentButRedacted = "<present_but_redacted>";

/** Decides what is a secret: a key or a value in which this is found. */
export type RedactionRule = RegExp;

/**
 * Reads `spark.redaction.regex`, an expression in Java's grammar; `undefined` where we cannot follow it.
 *
 * Flags are understood at the beginning only: `(?i)token`.
 */
export function parseRedactionRule(text: string): RedactionRule | undefined {
  const flags = /^\(\?([imsu]+)\)/.exec(text)?.[1];
  const quoted = (flags === undefined ? text : text.slice(flags.length + 3)).replace(
    /\\Q([\s\S]*?)(?:\\E|$)/g,
    (_whole, literal: string) => literal.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"),
  );
  try {
    return new RegExp(quoted, [...new Set(flags)].join(""));
  } catch {
    return undefined;
  }
}

/** Passwords in addresses: `https://user:PASSWORD@host/`. */
const addressPassword = /(?<=:\/\/[^\s:/@]*:)[^\s/@]+(?=@)/g;

/** A text in which no address tells its password. */
export function withoutPasswords(text: string): string {
  return text.replace(addressPassword, redactedText);
}

/** The value of a setting as it may be shown. A rule hides the setting that holds it, too, when it finds itself there. */
export function redact(rule: RedactionRule, key: string, value: string): string {
  return rule.test(key) || rule.test(value) ? redactedText : value;
}
