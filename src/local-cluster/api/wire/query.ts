import { goQuoted } from "../../../values/go-quoted.ts";
import { badRequest } from "../status.ts";

/** Parses a boolean parameter: every value except `0` and `false` is true; an absent parameter is false. */
export function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}

/** Parses a 64-bit integer; `undefined` if absent. @throws StatusError 400 */
export function integer(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  const parseError = (fault: string) => badRequest(`strconv.ParseInt: parsing ${goQuoted(value)}: ${fault}`);
  if (!/^[+-]?\d+$/.test(value)) throw parseError("invalid syntax");
  // Converting a long text would take quadratic time.
  const isLong = value.replace(/^[+-]?0*/, "").length > 19;
  const number = isLong ? 2n ** 64n : BigInt(value.replace("+", ""));
  if (BigInt.asIntN(64, number) !== number) throw parseError("value out of range");
  return Number(value);
}

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** One part of a duration. Sticky: a search for the next part would take quadratic time. */
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/** Maximum of Go's durations, 2^63 ns, in ms. */
const maxDurationMs = 2 ** 63 / 1e6;

/**
 * Parses the `timeout` parameter, a Go duration such as `1m30s`. @returns ms; `undefined` if absent or negative @throws
 * StatusError 400
 */
export function timeout(query: URLSearchParams): number | undefined {
  const value = query.get("timeout");
  if (value === null || value === "") return undefined;
  const text = value.replace(/^[+-]/, "");
  if (text === "0") return 0;
  if (text === "") throw invalidTimeout(value, text);
  let durationMs = 0;
  let end = 0;
  while (end < text.length) {
    part.lastIndex = end;
    const [, amount, unit = ""] = part.exec(text) ?? [];
    durationMs += Number(amount) * (units[unit] ?? 0);
    if (amount === undefined || durationMs >= maxDurationMs) throw invalidTimeout(value, text);
    end = part.lastIndex;
  }
  // Kubernetes ignores negative timeouts.
  return value.startsWith("-") ? undefined : durationMs;
}

function invalidTimeout(value: string, text: string) {
  const fault = /^\d{1,18}$/.test(text) ? "missing unit in duration" : "invalid duration";
  return badRequest(`invalid timeout specified in the request URL - time: ${fault} ${goQuoted(value)}`);
}
