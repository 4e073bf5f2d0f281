import { redactionRegex } from "../conf/entries/app.ts";
import { parseRedactionRule, redactedText, withoutPasswords } from "../values/redaction.ts";
import type { Diagnosis } from "./diagnosis.ts";

/** Words that a secret follows, in settings and headers; the secret is what is hidden. */
const secretForms: readonly RegExp[] = [
  /(?<=\b[\w.-]*(?:password|passwd|token|secret|credential|api-?key|access-?key|account-?key|sig)[\w.-]*=["']?)(?!\d+\b)[^\s"'&,;)]+/gi,
  /(?<=["'][\w.-]*(?:password|passwd|token|secret|credential|key)["']: ?["'])[^"']+/gi,
  /(?<=\b(?:Bearer|Basic) )[\w.~+/=-]{8,}/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
];

/** Too short to be told from an ordinary word. */
const shortestSecret = 6;

/**
 * A diagnosis that may be shown. Messages hide secrets; evidence ends before one, so that it still stands word by word in
 * what it is taken from.
 */
export function withoutSecrets(
  diagnosis: Diagnosis,
  properties: Readonly<Record<string, string>>,
): Diagnosis {
  const secrets = secretValues(properties);
  return {
    ...diagnosis,
    message: hide(diagnosis.message, secrets),
    nextStep: hide(diagnosis.nextStep, secrets),
    evidence: diagnosis.evidence
      .map(({ in: place, text }) => ({ in: place, text: untilSecret(text, secrets) }))
      .filter(({ text }) => text !== ""),
  };
}

function hide(text: string, secrets: readonly string[]): string {
  const known = secrets.reduce((shown, secret) => shown.replaceAll(secret, redactedText), text);
  return secretForms.reduce((shown, form) => shown.replace(form, redactedText), withoutPasswords(known));
}

function untilSecret(text: string, secrets: readonly string[]): string {
  const hidden = hide(text, secrets);
  return hidden === text ? text : (hidden.split(redactedText)[0] ?? "").trimEnd();
}

/** Values of settings that Spark hides, too. */
function secretValues(properties: Readonly<Record<string, string>>): readonly string[] {
  const rule = parseRedactionRule(properties[redactionRegex.key] ?? redactionRegex.defaultText);
  return Object.entries(properties)
    .filter(([key, value]) => value.length >= shortestSecret && rule?.test(key) === true && !isReference(key))
    .map(([, value]) => value);
}

/** Names and paths of secrets are none. */
function isReference(key: string): boolean {
  return /\.secrets\.|\.secretKeyRef\.|pullSecrets|\.mounted\.|tokenFile|\.provider$|\.name$|itemKey$/i.test(
    key,
  );
}
