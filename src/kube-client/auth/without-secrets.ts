/** Redacts tokens, passwords and the specified secrets in a text. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const hidden = "*********(redacted)";
  const redacted = secrets
    .filter((secret) => secret.length >= 6)
    .reduce((rest, secret) => rest.replaceAll(secret, hidden), text);
  return redacted
    .replace(/\b(bearer|basic)\s{1,20}[^\s"',]+/gi, `$1 ${hidden}`)
    .replace(secretAfterName, `$1$2${hidden}`)
    .replace(/:\/\/[^\s/@]+@/g, `://${hidden}@`)
    .replace(/\beyJ[\w-]+(?:\.[\w-]*){0,2}/g, (part) => (part.includes(".") ? hidden : part))
    .replace(/[\w+/=.~-]{40,}/g, (part) =>
      /\d/.test(part) && /[A-Za-z]/.test(part) && !part.includes("://") && !part.startsWith("/") ? hidden : part,
    );
}

/** A name such as `"id_token_hint": ` and the secret behind it. The limits keep the time linear. */
const secretAfterName =
  /((?:token|secret|password|passwd|assertion|signature)[\w-]{0,40}"?\s{0,20}[:=]\s{0,20})("?)[^\s"',&]+/gi;
