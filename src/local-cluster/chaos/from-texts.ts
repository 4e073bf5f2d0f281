import { parseDuration } from "../../values/duration.ts";

/** Fields of a rule or an incident as specified on the command line. */
type TextFields = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

const durations: readonly string[] = ["forMs", "delayMs", "byMs"];
const numbers: readonly string[] = ["skip", "times", "probability", "seed", "retryAfterSeconds"];

/** Parses durations such as `5s` (a bare number is ms) and numbers. Leaves invalid text for validation to reject. */
export function fromTexts(texts: TextFields): Readonly<Record<string, unknown>> {
  const specified = Object.entries(texts).filter(([, value]) => value !== undefined);
  return Object.fromEntries(specified.map(([field, value]) => [field, readField(field, value)]));
}

function readField(field: string, value: TextFields[string]): unknown {
  if (typeof value !== "string") return value;
  if (numbers.includes(field)) return /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (!durations.includes(field)) return value;
  const duration = parseDuration(value, "ms");
  return duration.ok ? duration.value : value;
}
