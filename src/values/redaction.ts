/** Replacement of a secret in output. */
export const redactedText = "*********(redacted)";

/** Replacement of an OAuth token in the driver's properties. */
export const presentButRedacted = "<present_but_redacted>";

/** Expression that matches the keys and values of secrets. */
export type RedactionRule = RegExp;

/**
 * Parses `spark.redaction.regex`, an expression in Java's syntax. Returns `undefined` if JavaScript does not support it.
 *
 * Flags are supported only at the start: `(?i)token`.
 */
export function parseRedactionRule(text: string): RedactionRule | undefined {
  const flags = /^\(\?([imsu]+)\)/.exec(text)?.[1];
  const quoted = (flags === undefined ? text : text.slice(flags.length + 3)).replace(
    /\\Q([\s\S]*?)(?:\\E|$)/g,
    (_match, literal: string) => literal.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"),
  );
  try {
    return new RegExp(quoted, [...new Set(flags)].join(""));
  } catch {
    return undefined;
  }
}

/** Passwords in addresses: `https://user:PASSWORD@host/`. */
const addressPassword = /(?<=:\/\/[^\s:/@]*:)[^\s/@]+(?=@)/g;

/** Replaces the passwords of addresses in a text. */
export function withoutPasswords(text: string): string {
  return text.replace(addressPassword, redactedText);
}

/** Returns the printable value of a setting. A rule also hides its own setting if it matches itself. */
export function redact(rule: RedactionRule, key: string, value: string): string {
  return rule.test(key) || rule.test(value) ? redactedText : value;
}
