import { redactedText } from "../values/redaction.ts";
import type { Diagnosis } from "./diagnosis.ts";
import { hideSecrets, type Secrets } from "./secrets.ts";

/**
 * Returns a diagnosis that can be shown. Messages hide secrets. Evidence ends before a secret, so that it remains a
 * verbatim part of its source.
 */
export function withoutSecrets(diagnosis: Diagnosis, secrets: Secrets): Diagnosis {
  return {
    ...diagnosis,
    message: hideSecrets(diagnosis.message, secrets),
    nextStep: hideSecrets(diagnosis.nextStep, secrets),
    evidence: diagnosis.evidence
      .map(({ in: source, text }) => ({ in: source, text: untilSecret(text, secrets) }))
      .filter(({ text }) => text !== ""),
  };
}

/** Returns the text before its first secret, which a bundle has replaced already. */
function untilSecret(text: string, secrets: Secrets): string {
  const hidden = hideSecrets(text, secrets);
  return hidden.includes(redactedText) ? (hidden.split(redactedText)[0] ?? "").trimEnd() : text;
}
