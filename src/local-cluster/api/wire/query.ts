import { badRequest } from "../status.ts";
import { goQuoted } from "../validation/field-error.ts";

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
  if (BigInt.asIntN(64, BigInt(value.replace("+", ""))) !== BigInt(value.replace("+", "")))
    throw parseError("value out of range");
  return Number(value);
}

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Parses the `timeout` parameter, a Go duration such as `1m30s`. @returns ms; `undefined` if absent or negative @throws
 * StatusError 400
 */
export function timeout(query: URLSearchParams): number | undefined {
  const value = query.get("timeout");
  if (value === null || value === "") return undefined;
  const amount = value.replace(/^[+-]/, "");
  const parts = [...amount.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g)];
  if (amount === "0") return 0;
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== amount) {
    const fault = /^\d+$/.test(amount) ? "missing unit in duration" : "invalid duration";
    throw badRequest(`invalid timeout specified in the request URL - time: ${fault} ${goQuoted(value)}`);
  }
  // Kubernetes ignores negative timeouts.
  if (value.startsWith("-")) return undefined;
  return parts.reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * (units[unit] ?? 0), 0);
}
