import { type RedactionRule, redact, redactedText } from "./redaction.ts";

/** Names of secrets that Spark's default expression does not match, such as `fs.azure.account.key`. */
const secretName = /(?:account|api|private|shared|encryption)[._-]?key|passphrase|passwd/i;

/** Returns the printable value of a setting, also if its name is that of a secret that the rule does not match. */
export function redactAnySecret(rule: RedactionRule, key: string, value: string): string {
  return secretName.test(key) ? redactedText : redact(rule, key, value);
}

/** Redacts arguments by their own text, and the value after an option such as `--password`. */
export function redactArguments(rule: RedactionRule, args: readonly string[]): readonly string[] {
  const isSecret = (text: string) => rule.test(text) || secretName.test(text);
  return args.map((arg, index) => {
    const option = args[index - 1] ?? "";
    const isValue = option.startsWith("-") && !option.includes("=") && !arg.startsWith("-");
    const [name = ""] = arg.startsWith("-") ? arg.split("=") : [];
    return rule.test(arg) || secretName.test(name) || (isValue && isSecret(option)) ? redactedText : arg;
  });
}
