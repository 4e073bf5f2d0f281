import type { ErrorCode, ErrorFields } from "./codes.ts";
import { errorCodeEntry } from "./find-entry.ts";

/** One problem of an input or of a call: a code, its words, and what it is about. */
export interface Issue {
  readonly code: ErrorCode;
  /** The whole sentence, secrets already hidden. */
  readonly message: string;
  /** What to do next, one sentence. */
  readonly hint?: string;
  /** What lies behind it, as Apache Spark prints it where nothing else is to be printed. */
  readonly causes?: readonly string[];
}

/** A value, or every reason why there is none. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Makes an issue from the catalogue, e.g. `issue("SUBMIT_ERR_ARG_UNKNOWN", { option: "--foo" })`. */
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

/** The arm of a result that has a value. */
export function success<T>(value: T): Result<T> {
  return { ok: true, value };
}

/** The arm of a result that has reasons, made from one catalogue entry. */
export function failure<C extends ErrorCode>(code: C, fields: ErrorFields<C>): Result<never> {
  return { ok: false, issues: [issue(code, fields)] };
}

/** The value, unless there are reasons against it. */
export function unlessIssues<T>(issues: readonly Issue[], value: T): Result<T> {
  return issues.length === 0 ? success(value) : { ok: false, issues };
}

/** Every reason why there is no value. */
export function issuesOf(result: Result<unknown>): readonly Issue[] {
  return result.ok ? [] : result.issues;
}

/** Where a result has no value, earlier problems come first. */
export function withIssues<T>(issues: readonly Issue[], result: Result<T>): Result<T> {
  return result.ok ? result : { ok: false, issues: [...issues, ...result.issues] };
}

/** Several results as one: all values by name, or every reason of all of them. */
export function allOf<T>(results: { readonly [K in keyof T]: Result<T[K]> }): Result<T>;
export function allOf(results: Readonly<Record<string, Result<unknown>>>): Result<unknown> {
  const values = Object.entries(results).map(([name, result]) => [
    name,
    result.ok ? result.value : undefined,
  ]);
  return unlessIssues(Object.values(results).flatMap(issuesOf), Object.fromEntries(values));
}
