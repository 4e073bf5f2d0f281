import { redactionRegex } from "../conf/entries/app.ts";
import { parseRedactionRule, redactedText, withoutPasswords } from "../values/redaction.ts";
import type { Diagnosis } from "./diagnosis.ts";

/** Patterns of secrets after their names in settings and headers. They match only the secret. */
const secretForms: readonly RegExp[] = [
  /(?<=\b[\w.-]*(?:password|passwd|token|secret|credential|api-?key|access-?key|account-?key|sig)[\w.-]*=["']?)(?!\d+\b)[^\s"'&,;)]+/gi,
  /(?<=["'][\w.-]*(?:password|passwd|token|secret|credential|key)["']: ?["'])[^"']+/gi,
  /(?<=\b(?:Bearer|Basic) )[\w.~+/=-]{8,}/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
];

/** Shorter secrets cannot be distinguished from ordinary words. */
const minSecretLength = 6;

/**
 * Returns a diagnosis that can be shown. Messages hide secrets. Evidence ends before a secret, so that it remains a
 * verbatim part of its source.
 */
export function withoutSecrets(diagnosis: Diagnosis, properties: Readonly<Record<string, string>>): Diagnosis {
  const secrets = secretValues(properties);
  return {
    ...diagnosis,
    message: hide(diagnosis.message, secrets),
    nextStep: hide(diagnosis.nextStep, secrets),
    evidence: diagnosis.evidence
      .map(({ in: source, text }) => ({ in: source, text: untilSecret(text, secrets) }))
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

/** Lists the values of settings that Spark hides. */
function secretValues(properties: Readonly<Record<string, string>>): readonly string[] {
  const rule = parseRedactionRule(properties[redactionRegex.key] ?? redactionRegex.defaultText);
  return Object.entries(properties)
    .filter(([key, value]) => value.length >= minSecretLength && rule?.test(key) === true && !isReference(key))
    .map(([, value]) => value);
}

/** Whether a setting contains only the name or path of a secret. */
function isReference(key: string): boolean {
  return /\.secrets\.|\.secretKeyRef\.|pullSecrets|\.mounted\.|tokenFile|\.provider$|\.name$|itemKey$/i.test(key);
}
