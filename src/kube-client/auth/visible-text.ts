/** Text of others for a terminal: what would steer it is written out, as `U+001B`. Line ends and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(/[^\P{C}\t\n\v\f\r]/gu, (character) => {
    const point = character.codePointAt(0) ?? 0;
    return `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
  });
}

/** The same text without what looks like a secret: tokens, passwords, and the given words. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const hidden = "*********(redacted)";
  const given = secrets
    .filter((secret) => secret.length >= 6)
    .reduce((rest, secret) => rest.replaceAll(secret, hidden), text);
  return given
    .replace(/\b(bearer|basic)\s+[^\s"',]+/gi, `$1 ${hidden}`)
    .replace(
      /("?[\w-]*(?:token|secret|password|passwd|assertion|signature)[\w-]*"?\s*[:=]\s*)("?)[^\s"',&]+/gi,
      `$1$2${hidden}`,
    )
    .replace(/:\/\/[^\s/@]+@/g, `://${hidden}@`)
    .replace(/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, hidden)
    .replace(/[\w+/=.~-]{40,}/g, (word) =>
      /\d/.test(word) && /[A-Za-z]/.test(word) && !word.includes("://") && !word.startsWith("/")
        ? hidden
        : word,
    );
}
