import { redactionRegex } from "../conf/entries/app.ts";
import type { Pod } from "../kube/types.ts";
import { parseRedactionRule, type RedactionRule, redactedText, withoutPasswords } from "../values/redaction.ts";
import type { Observation } from "./observation.ts";

/** Values that must not be shown, longest first. */
export type Secrets = readonly string[];

/**
 * Patterns of secrets after their names in settings and headers. They match only the secret, and not its replacement: hiding the
 * secrets of a text twice changes nothing.
 */
const secretForms: readonly RegExp[] = [
  /(?<=\b[\w.-]*(?:password|passwd|token|secret|credential|api-?key|access-?key|account-?key|sig)[\w.-]*=["']?)(?!\d+\b|\*{9}\(redacted\))[^\s"'&,;)]+/gi,
  /(?<=["'][\w.-]*(?:password|passwd|token|secret|credential|key)["']: ?["'])(?!\*{9}\(redacted\))[^"']+/gi,
  /(?<=\b(?:Bearer|Basic) )[\w.~+/=-]{8,}/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
];

/** Options of a program whose next argument is a secret, e.g. `--db-password`. */
const secretOption = /^--?[\w.-]*(?:password|passwd|token|secret|credential|api-?key|access-?key)[\w.-]*$/i;

/** Shorter secrets cannot be distinguished from ordinary words. */
const minSecretLength = 6;

/** Replaces known secrets, and what has the form of a secret, in a text. */
export function hideSecrets(text: string, secrets: Secrets): string {
  const known = secrets.reduce((shown, secret) => shown.replaceAll(secret, redactedText), text);
  return secretForms.reduce((shown, form) => shown.replace(form, redactedText), withoutPasswords(known));
}

/** Lists the secrets of an observation: values of settings, variables and arguments whose name matches `spark.redaction.regex`. */
export function secretsOf({ properties, driver, executors }: Observation, others: readonly Pod[] = []): Secrets {
  const rule = secretRule(properties);
  const settings = Object.entries(properties).filter(([key]) => isSecretSetting(rule, key));
  const pods = [...(driver === undefined ? [] : [driver]), ...executors].map(({ pod }) => pod);
  const values = [
    ...settings.map(([, value]) => value),
    ...[...pods, ...others].flatMap((pod) => secretsOfPod(rule, pod)),
  ];
  const long = values.filter((value) => value.length >= minSecretLength && value !== redactedText);
  // A secret can be a part of another one.
  return [...new Set(long)].sort((a, b) => b.length - a.length);
}

/** Returns the rule of `spark.redaction.regex`; the default one for an expression that JavaScript does not support. */
export function secretRule(properties: Observation["properties"]): RedactionRule | undefined {
  const { key, defaultText } = redactionRegex;
  return parseRedactionRule(properties[key] ?? defaultText) ?? parseRedactionRule(defaultText);
}

/** Whether the value of a setting is secret, and not only the name or path of a secret. */
export function isSecretSetting(rule: RedactionRule | undefined, key: string): boolean {
  if (key === redactionRegex.key || rule?.test(key) !== true) return false;
  return !/\.secrets\.|\.secretKeyRef\.|pullSecrets|\.mounted\.|tokenFile|\.provider$|\.name$|itemKey$/i.test(key);
}

/** Whether an argument is a secret, by the option before it. */
export function isSecretArgument(previous: unknown): boolean {
  return typeof previous === "string" && secretOption.test(previous);
}

function secretsOfPod(rule: RedactionRule | undefined, { spec }: Pod): readonly string[] {
  const { containers = [], initContainers = [] } = spec ?? {};
  // Diagnoses also read records, whose fields are not checked.
  return [...containers, ...initContainers].flatMap((container) => [
    ...(container?.env ?? []).flatMap(({ name, value }) => (rule?.test(name) === true ? (value ?? []) : [])),
    ...secretArguments(container?.command),
    ...secretArguments(container?.args),
  ]);
}

function secretArguments(args: readonly string[] = []): readonly string[] {
  return args.filter((_, index) => isSecretArgument(args[index - 1]));
}
