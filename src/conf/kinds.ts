import { failure, type Result, success } from "../errors/issue.ts";
import { type ByteUnit, type ParsedNumber, parseByteSize, printByteSize } from "../values/byte-size.ts";
import { parseDuration, printDuration } from "../values/duration.ts";
import { parseJavaDouble, parseJavaInt, parseJavaLong, printJavaDouble } from "../values/java-number.ts";
import { javaTrim } from "../values/java-trim.ts";
import { parseRedactionRule, type RedactionRule, withoutPasswords } from "../values/redaction.ts";
import type { Kind, ReadContext } from "./entry.ts";

/** Any text, as it stands. */
export const text: Kind<string> = { parse: success, print: (value) => value };

/** `true` or `false`, in either case, blanks around it ignored. */
export const boolean: Kind<boolean> = {
  parse: (given, context) => {
    const lower = javaTrim(given).toLowerCase();
    return lower === "true" || lower === "false"
      ? success(lower === "true")
      : mismatch({ given, context, type: "boolean" });
  },
  print: String,
};

/** A whole number of 32 bits. */
export const integer: Kind<number> = numberKind("int", parseJavaInt, String);

/** A whole number of 64 bits. */
export const long: Kind<number> = numberKind("long", parseJavaLong, String);

/** A number with a fraction. */
export const double: Kind<number> = numberKind("double", parseJavaDouble, printJavaDouble);

/** A whole number that Spark reads without its typed entries, so with other words when it is none: ports. */
export const rawInteger: Kind<number> = {
  parse: (given, { key }) => {
    const value = parseJavaInt(given);
    return value === undefined
      ? failure("SUBMIT_ERR_SETTING_RAW_INTEGER", { key, value: given })
      : success(value);
  },
  print: String,
};

/** A size, as a number of `unit`; a bare number is of that unit. */
export function bytes(unit: ByteUnit): Kind<number> {
  return {
    parse: (given, context) => {
      const negative = given.startsWith("-");
      const options = { unit, binarySuffixes: context.traits.binarySizeSuffixes };
      const size = parseByteSize(negative ? given.slice(1) : given, options);
      const value = size.ok && negative ? { ok: true as const, value: -size.value } : size;
      return measured(value, { given, context, type: `bytes in ${unit}` });
    },
    print: (value, traits) => (traits.conditionMessages ? printByteSize(value, unit) : String(value)),
  };
}

/** A time, as a number of `unit`; a bare number is of that unit. */
export function duration(unit: "ms" | "s"): Kind<number> {
  const name = unit === "ms" ? "MILLISECONDS" : "SECONDS";
  return {
    parse: (given, context) =>
      measured(parseDuration(given, unit), { given, context, type: `time in ${name}` }),
    print: (value, traits) => (traits.conditionMessages ? printDuration(value, unit) : String(value)),
  };
}

/** Comma-separated texts. */
export const list: Kind<readonly string[]> = {
  parse: (given) => success(splitList(given)),
  print: (values) => values.join(","),
};

/** Splits a text at commas; trims the items and drops empty ones. */
export function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => javaTrim(item))
    .filter((item) => item !== "");
}

/** One of a few words, exactly as written. */
export function oneOf<const C extends string>(choices: readonly C[]): Kind<C> {
  return {
    parse: (given, { key, traits }) => {
      const choice = choices.find((candidate) => candidate === given);
      return choice === undefined
        ? failure("SUBMIT_ERR_SETTING_CHOICE", {
            key,
            value: given,
            choices: choices.join(", "),
            condition: traits.conditionMessages,
          })
        : success(choice);
    },
    print: (value) => value,
  };
}

/** A kind that is read in lower case. */
export function lowered<T>(kind: Kind<T>): Kind<T> {
  return { parse: (given, context) => kind.parse(given.toLowerCase(), context), print: kind.print };
}

/** A regular expression in Java's grammar, for finding secrets. */
export const expression: Kind<RedactionRule> = {
  parse: (given, context) => {
    const rule = parseRedactionRule(given);
    const reason = `${context.key} should be a regex, but was ${given}`;
    return rule === undefined ? mismatch({ given, context, type: "regex" }, reason) : success(rule);
  },
  print: (rule) => rule.source,
};

/** A kind whose values must also pass a test; `requirement` is Spark's sentence. */
export function checked<T>(kind: Kind<T>, test: (value: T) => boolean, requirement: string): Kind<T> {
  return {
    parse: (given, context) => {
      const result = kind.parse(given, context);
      if (!result.ok || test(result.value)) return result;
      return failure("SUBMIT_ERR_SETTING_VALUE", {
        key: context.key,
        value: withoutPasswords(kind.print(result.value, context.traits)),
        requirement,
        condition: context.traits.conditionMessages,
      });
    },
    print: kind.print,
  };
}

/** The address of a server, perhaps with a path. */
export const serverUrl: Kind<string> = checked(
  text,
  (url) => /^https?:\/\/[^/\s@]+(\/\S*)?$/.test(url),
  "Must be an http or https URL, without a user.",
);

function numberKind(
  type: string,
  parse: (given: string) => number | undefined,
  print: (value: number) => string,
): Kind<number> {
  return {
    parse: (given, context) => {
      const value = parse(javaTrim(given));
      return value === undefined ? mismatch({ given, context, type }) : success(value);
    },
    print,
  };
}

/** A text that should be of a type, by the name that Spark has for it. */
interface Typed {
  readonly given: string;
  readonly context: ReadContext;
  readonly type: string;
}

function measured(parsed: ParsedNumber, typed: Typed): Result<number> {
  return parsed.ok ? success(parsed.value) : mismatch(typed, parsed.reason);
}

function mismatch({ given, context, type }: Typed, reason?: string): Result<never> {
  const { key, traits } = context;
  return failure("SUBMIT_ERR_SETTING_TYPE", {
    key,
    value: given,
    type,
    condition: traits.conditionMessages,
    ...(reason === undefined ? {} : { reason }),
  });
}
