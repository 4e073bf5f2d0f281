import { failure, type Result, success } from "../errors/issue.ts";
import { type ByteUnit, type ParsedNumber, parseByteSize, printByteSize } from "../values/byte-size.ts";
import { parseDuration, printDuration } from "../values/duration.ts";
import { parseJavaDouble, parseJavaInt, parseJavaLong, printJavaDouble } from "../values/java-number.ts";
import { javaTrim } from "../values/java-trim.ts";
import { parseRedactionRule, type RedactionRule, withoutPasswords } from "../values/redaction.ts";
import type { Kind, ReadContext } from "./entry.ts";
import { nearestName } from "./nearest-name.ts";

/** Any text, unchanged. */
export const text: Kind<string> = { parse: success, print: (value) => value };

/** `true` or `false` in any case, with optional surrounding whitespace. */
export const boolean: Kind<boolean> = {
  parse: (text, context) => {
    const lower = javaTrim(text).toLowerCase();
    return lower === "true" || lower === "false"
      ? success(lower === "true")
      : mismatch({ text, context, type: "boolean" });
  },
  print: String,
  form: "boolean",
};

/** 32-bit integer. */
export const integer: Kind<number> = numberKind("int", parseJavaInt, String);

/** 64-bit integer. */
export const long: Kind<number> = numberKind("long", parseJavaLong, String);

/** Floating-point number. */
export const double: Kind<number> = numberKind("double", parseJavaDouble, printJavaDouble);

/** 32-bit integer with another error message, because Spark reads it without a typed entry: ports. */
export const rawInteger: Kind<number> = {
  parse: (text, { key }) => {
    const value = parseJavaInt(text);
    return value === undefined ? failure("SUBMIT_ERR_SETTING_RAW_INTEGER", { key, value: text }) : success(value);
  },
  print: String,
  form: "number",
};

/** Builds a kind for sizes: a number of `unit`, which is also the unit of a text without suffix. */
export function bytes(unit: ByteUnit): Kind<number> {
  return {
    parse: (text, context) => {
      const negative = text.startsWith("-");
      const options = { unit, binarySuffixes: context.traits.binarySizeSuffixes };
      const size = parseByteSize(negative ? text.slice(1) : text, options);
      const value = size.ok && negative ? { ok: true as const, value: -size.value } : size;
      return measured(value, { text, context, type: `bytes in ${unit}` });
    },
    print: (value, traits) => (traits.conditionMessages ? printByteSize(value, unit) : String(value)),
    form: "size",
  };
}

/** Builds a kind for durations: a number of `unit`, which is also the unit of a text without suffix. */
export function duration(unit: "ms" | "s"): Kind<number> {
  const name = unit === "ms" ? "MILLISECONDS" : "SECONDS";
  return {
    parse: (text, context) => measured(parseDuration(text, unit), { text, context, type: `time in ${name}` }),
    print: (value, traits) => (traits.conditionMessages ? printDuration(value, unit) : String(value)),
    form: "duration",
  };
}

/** Comma-separated texts. */
export const list: Kind<readonly string[]> = {
  parse: (text) => success(splitList(text)),
  print: (values) => values.join(","),
  form: "list",
};

/** Splits a text at commas; trims the items and drops empty ones. */
export function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => javaTrim(item))
    .filter((item) => item !== "");
}

/** Builds a kind for one of several texts, compared exactly. */
export function oneOf<const C extends string>(choices: readonly C[]): Kind<C> {
  return {
    parse: (text, { key, traits }) => {
      const choice = choices.find((candidate) => candidate === text);
      return choice === undefined
        ? failure("SUBMIT_ERR_SETTING_CHOICE", {
            key,
            value: text,
            choices: choices.join(", "),
            nearest: nearestName(text, choices),
            condition: traits.conditionMessages,
          })
        : success(choice);
    },
    print: (value) => value,
    form: choices,
  };
}

/** Builds a kind that converts the text to lower case before parsing. */
export function lowered<T>(kind: Kind<T>): Kind<T> {
  return {
    parse: (text, context) => kind.parse(text.toLowerCase(), context),
    print: kind.print,
    form: kind.form,
  };
}

/** Regular expression in Java's syntax that matches secrets. */
export const expression: Kind<RedactionRule> = {
  parse: (text, context) => {
    const rule = parseRedactionRule(text);
    const reason = `${context.key} should be a regex, but was ${text}`;
    return rule === undefined ? mismatch({ text, context, type: "regex" }, reason) : success(rule);
  },
  print: (rule) => rule.source,
};

/** Builds a kind whose values must also pass a test; `requirement` is Spark's message. */
export function checked<T>(kind: Kind<T>, test: (value: T) => boolean, requirement: string): Kind<T> {
  return {
    parse: (text, context) => {
      const result = kind.parse(text, context);
      if (!result.ok || test(result.value)) return result;
      return failure("SUBMIT_ERR_SETTING_VALUE", {
        key: context.key,
        value: withoutPasswords(kind.print(result.value, context.traits)),
        requirement,
        condition: context.traits.conditionMessages,
      });
    },
    print: kind.print,
    form: kind.form,
  };
}

/** URL of a server with an optional path. */
export const serverUrl: Kind<string> = checked(
  text,
  (url) => /^https?:\/\/[^/\s@]+(\/\S*)?$/.test(url),
  "Must be an http or https URL, without a user.",
);

function numberKind(
  type: string,
  parse: (text: string) => number | undefined,
  print: (value: number) => string,
): Kind<number> {
  return {
    parse: (text, context) => {
      const value = parse(javaTrim(text));
      return value === undefined ? mismatch({ text, context, type }) : success(value);
    },
    print,
    form: "number",
  };
}

/** Text and the type that it should have, by Spark's name of the type. */
interface TypedText {
  readonly text: string;
  readonly context: ReadContext;
  readonly type: string;
}

function measured(parsed: ParsedNumber, typed: TypedText): Result<number> {
  return parsed.ok ? success(parsed.value) : mismatch(typed, parsed.reason);
}

function mismatch({ text, context, type }: TypedText, reason?: string): Result<never> {
  const { key, traits } = context;
  return failure("SUBMIT_ERR_SETTING_TYPE", {
    key,
    value: text,
    type,
    condition: traits.conditionMessages,
    ...(reason === undefined ? {} : { reason }),
  });
}
