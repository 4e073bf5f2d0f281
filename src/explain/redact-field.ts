import { redactionRegex } from "../conf/entries/app.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { redactAnySecret } from "../values/redact-arguments.ts";
import { type RedactionRule, redactedText, withoutPasswords } from "../values/redaction.ts";
import type { Field } from "./fields.ts";
import type { LeafValue } from "./leaves.ts";

/** Functions that hide the secrets in fields and settings. */
export interface Redaction {
  readonly ofField: (field: Pick<Field, "kind" | "path">, value: LeafValue) => LeafValue;
  readonly ofSetting: (key: string, value: string) => string;
}

/**
 * Builds the redaction of a submission. As Spark does, it hides settings, variables, labels, annotations and arguments by name and value
 * with `spark.redaction.regex`. It also hides all data of Secrets, and passwords in URLs. With an invalid expression, it hides every value.
 */
export function redactionOf(conf: SparkConf): Redaction {
  const read = conf.read(redactionRegex);
  const rule = read.ok ? read.value : undefined;
  return {
    ofField: (field, value) => (typeof value === "string" ? fieldText(rule, field, value) : value),
    ofSetting: (key, value) => hide(rule, key, value),
  };
}

function fieldText(rule: RedactionRule | undefined, { kind, path }: Pick<Field, "kind" | "path">, value: string) {
  if (kind === "Secret" && /^(data|stringData)\b/.test(path)) return redactedText;
  const name = namedValue
    .exec(path)
    ?.slice(1)
    .find((part) => part !== undefined);
  return name === undefined ? withoutPasswords(value) : hide(rule, name, value);
}

/** Paths of fields with values from users; the group is the name to match. */
const namedValue =
  /\.env\[([^\]]+)\]\.value$|^data\[spark\.properties\]\[(.+)\]$|^data[.[]([^\]]+)\]?$|^metadata\.(?:labels|annotations)[.[]([^\]]+)\]?$|\.args\[(\d+)\]$/;

function hide(rule: RedactionRule | undefined, key: string, value: string): string {
  return rule === undefined ? redactedText : withoutPasswords(redactAnySecret(rule, key, value));
}
