import type { ErrorCode, ErrorFields } from "./codes.ts";
import type { ErrorKind } from "./error-code-entry.ts";
import { errorCodeEntry } from "./find-entry.ts";
import { type Issue, issue, type Result } from "./issue.ts";

// In a file of its own for programs that have no use for the catalogue.
export { messageOf } from "./message-of.ts";

const mark = Symbol.for("firesteel.SubmitError");

/** What stops us: all issues of one input, or one refused call. Expected ends (a failed driver) are return values. */
export class SubmitError extends Error {
  readonly [mark] = true;
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  readonly issues: readonly [Issue, ...Issue[]];

  constructor(issues: readonly [Issue, ...Issue[]], options?: { cause?: unknown }) {
    super(issues.map(({ message }) => message).join("\n"), options);
    this.name = "SubmitError";
    this.issues = issues;
    this.code = issues[0].code;
    this.kind = errorCodeEntry(this.code).kind;
  }
}

/** True for a SubmitError of any copy of this package: by mark, not by class. */
export function isSubmitError(error: unknown): error is SubmitError {
  return typeof error === "object" && error !== null && mark in error;
}

/** True for a SubmitError whose first issue is of this code. */
export function hasCode(error: unknown, code: ErrorCode): error is SubmitError {
  return isSubmitError(error) && error.code === code;
}

/** A SubmitError of one catalogue entry. */
export function submitError<C extends ErrorCode>(
  code: C,
  fields: ErrorFields<C>,
  options?: { cause?: unknown },
): SubmitError {
  return new SubmitError([issue(code, fields)], options);
}

/** Throws all issues at once, if there are any: for the first effect boundary after pure work. */
export function throwIssues(issues: readonly Issue[]): void {
  const [first, ...rest] = issues;
  if (first !== undefined) throw new SubmitError([first, ...rest]);
}

/** The value of a result; its issues are thrown. For the first effect boundary after pure work. */
export function orThrow<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throwIssues(result.issues);
  throw new Error("a result without a value must have issues");
}
