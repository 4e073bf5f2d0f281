import type { ErrorCode, ErrorFields } from "./codes.ts";
import { errorCodeEntry } from "./find-entry.ts";

/**
 * One problem of an input or of a call.
 *
 * @example
 * ```ts
 * const print = ({ code, message, hint = "" }: Issue) => console.error(code, message, hint);
 * ```
 */
export interface Issue {
  readonly code: ErrorCode;
  /** Text with what happened, the value and the reason. Contains no secrets. */
  readonly message: string;
  /** Instruction for the user. */
  readonly hint?: string;
  /** Texts that Spark prints after `Caused by: `; printed in strict mode only. */
  readonly causes?: readonly string[];
}

/**
 * A value, or all reasons why there is none.
 *
 * @example
 * ```ts
 * const valueOf = <T>(result: Result<T>) => (result.ok ? result.value : undefined);
 * ```
 */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Builds an issue from its code, e.g. `issue("SUBMIT_ERR_ARG_UNKNOWN", { option: "--foo" })`. */
export function issue<C extends ErrorCode>(code: C, fields: ErrorFields<C>): Issue {
  const entry = errorCodeEntry(code);
  const hint = entry.hint?.(fields);
  const causes = entry.causes?.(fields);
  return {
    code,
    message: entry.text(fields),
    ...(hint === undefined ? {} : { hint }),
    ...(causes === undefined ? {} : { causes }),
  };
}

/** Builds a result with a value. */
export function success<T>(value: T): Result<T> {
  return { ok: true, value };
}

/** Builds a result with one issue. */
export function failure<C extends ErrorCode>(code: C, fields: ErrorFields<C>): Result<never> {
  return { ok: false, issues: [issue(code, fields)] };
}

/** Builds a result with the value if there are no issues, else with the issues. */
export function unlessIssues<T>(issues: readonly Issue[], value: T): Result<T> {
  return issues.length === 0 ? success(value) : { ok: false, issues };
}

/** Returns the issues of a result; none if it has a value. */
export function issuesOf(result: Result<unknown>): readonly Issue[] {
  return result.ok ? [] : result.issues;
}

/** Puts earlier issues before those of a failed result. A result with a value stays unchanged. */
export function withIssues<T>(issues: readonly Issue[], result: Result<T>): Result<T> {
  return result.ok ? result : { ok: false, issues: [...issues, ...result.issues] };
}

/** Combines results by name: all values, or the issues of all of them. */
export function allOf<T>(results: { readonly [K in keyof T]: Result<T[K]> }): Result<T>;
export function allOf(results: Readonly<Record<string, Result<unknown>>>): Result<unknown> {
  const values = Object.entries(results).map(([name, result]) => [name, result.ok ? result.value : undefined]);
  return unlessIssues(Object.values(results).flatMap(issuesOf), Object.fromEntries(values));
}

/** Removes repeated issues: two stages or steps that read the same setting report the same problem. */
export function distinctIssues(issues: readonly Issue[]): readonly Issue[] {
  return [...new Map(issues.map((found) => [`${found.code} ${found.message}`, found])).values()];
}
