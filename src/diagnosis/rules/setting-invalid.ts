import type { Failure } from "../failure.ts";
import type { Finding } from "../rule.ts";
import { keys } from "../settings.ts";

/** Spark's messages that reject a setting without its key, and the key. */
const nameless: readonly { readonly pattern: RegExp; readonly key: string }[] = [
  { pattern: /Executor memory must be|Executor memory \S+ must be at least/, key: keys.executorMemory },
  { pattern: /Driver memory must be|System memory \d+ must be at least/, key: keys.driverMemory },
  { pattern: /Executor cores must|number of cores/i, key: keys.executorCores },
  { pattern: /Number of executors must/, key: keys.executorInstances },
  { pattern: /Driver cores must/, key: keys.driverCores },
];

/** Spark's wording for rejected settings, in exceptions that Spark itself throws. */
const rejectionPatterns =
  /requirement failed|must be (?:a |an )?(?:positive|non-negative|greater|less|at least|between|set|one of|in )|should be (?:a |an |between|one of|boolean|in )|is (?:not supported|invalid|illegal|incompatible|not valid|not a valid)|INVALID_CONF|Failed to parse (?:byte|time) string|Size must be specified|Time must be specified|Fractional values are not supported|Could not parse Master URL|Cannot use|cannot be (?:used|set|specified|less|greater)|not allowed|conflict|requires? .*to be|Only one of/i;

const portRange = /Port should be between|startPort should be between/i;

/** Finds the setting that an exception rejects, and the message. */
export function invalidSetting(
  { message, className, location, lines }: Failure,
  properties: Readonly<Record<string, string>>,
): Pick<Finding, "message" | "nextStep" | "key"> | undefined {
  const isSpark =
    /IllegalArgumentException|SparkException|NumberFormatException|UnsupportedOperationException|java\.lang\.Exception$/.test(
      className,
    );
  if (
    !isSpark ||
    !isOfSpark(
      lines.map(({ text }) => text),
      location,
    )
  )
    return undefined;
  const key = keyIn(message, properties);
  if (!rejectionPatterns.test(message) && !(key !== undefined && className.endsWith("IllegalArgumentException")))
    return undefined;
  if (key === undefined && !/setting|conf|option|must be|should be/i.test(message)) return undefined;
  const value = key === undefined ? undefined : properties[key];
  const shown = key === undefined ? "a setting" : `${key}${value === undefined ? "" : `=${value}`}`;
  return {
    message: `Spark rejects ${shown}: ${message}`,
    nextStep: key === undefined ? undefined : `Correct ${key}.`,
    key,
  };
}

/** Whether Spark threw an exception. If the application did, a frame of its own comes first. */
function isOfSpark(lines: readonly string[], location: string | undefined): boolean {
  const frames = lines.flatMap((text) => /^\s+at (?:[\w.@-]+\/)*([\w.$<>]+)\(/.exec(text)?.[1] ?? []);
  const own = location === undefined ? -1 : frames.findIndex((frame) => location.startsWith(`${frame}(`));
  const spark = frames.findIndex((frame) => /^org\.apache\.(spark|hadoop)\./.test(frame));
  return own === -1 || (spark !== -1 && spark < own);
}

function keyIn(message: string, properties: Readonly<Record<string, string>>): string | undefined {
  const named = [...message.matchAll(/\bspark(?:\.[a-zA-Z][\w-]*)+/g)].map(([key]) => key);
  const configured = named.find((key) => key in properties) ?? named[0];
  if (configured !== undefined) return configured;
  if (portRange.test(message)) {
    return Object.keys(properties).find((key) => /\.port$/.test(key) && isBadPort(Number(properties[key])));
  }
  const quoted = /"([^"]+)"|'([^']+)'|For input string: "?([^"]+)"?/
    .exec(message)
    ?.slice(1)
    .find((one) => one !== undefined);
  const holder = quoted === undefined ? undefined : Object.keys(properties).find((key) => properties[key] === quoted);
  return nameless.find(({ pattern }) => pattern.test(message))?.key ?? holder;
}

function isBadPort(port: number): boolean {
  return Number.isInteger(port) && port !== 0 && (port < 1024 || port > 65_535);
}
