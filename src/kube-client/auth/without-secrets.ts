/** Redacts tokens, passwords and the specified secrets in a text. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const hidden = "*********(redacted)";
  const redacted = secrets
    .filter((secret) => secret.length >= 6)
    .reduce((rest, secret) => rest.replaceAll(secret, hidden), text);
  return redacted
    .replace(/\b(bearer|basic)\s+[^\s"',]+/gi, `$1 ${hidden}`)
    .replace(
      /("?[\w-]*(?:token|secret|password|passwd|assertion|signature)[\w-]*"?\s*[:=]\s*)("?)[^\s"',&]+/gi,
      `$1$2${hidden}`,
    )
    .replace(/:\/\/[^\s/@]+@/g, `://${hidden}@`)
    .replace(/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, hidden)
    .replace(/[\w+/=.~-]{40,}/g, (part) =>
      /\d/.test(part) && /[A-Za-z]/.test(part) && !part.includes("://") && !part.startsWith("/") ? hidden : part,
    );
}
