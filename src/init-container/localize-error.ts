import { messageOf } from "../errors/message-of.ts";
import { isSubmitError } from "../errors/submit-error.ts";
import { isPermanent } from "../net/permanent-error.ts";
import type { LocalizeFailure } from "../staging-client/localize-config.ts";

/** Error that ends the init container, or an attempt that may be retried. */
export class LocalizeError extends Error {
  readonly code: LocalizeFailure;
  /** Affected entry, such as `jars/a.jar`, if the error concerns one. */
  readonly entry: string | undefined;
  /** Whether a retry may succeed. */
  readonly isTransient: boolean;
  /** Delay before the next attempt, if the server specifies one. */
  readonly waitMs: number | undefined;

  constructor(
    code: LocalizeFailure,
    message: string,
    options: {
      readonly entry?: string | undefined;
      readonly isTransient?: boolean;
      readonly waitMs?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "LocalizeError";
    this.code = code;
    this.entry = options.entry;
    this.isTransient = options.isTransient ?? false;
    this.waitMs = options.waitMs;
  }
}

/** Converts the failure of an exchange without a complete response. Returns a `LocalizeError` unchanged. */
export function networkError(error: unknown, what: string): LocalizeError {
  if (error instanceof LocalizeError) return error;
  // The environment names a proxy whose address is invalid.
  if (isSubmitError(error)) return new LocalizeError("badConfig", error.message, { cause: error });
  const isTransient = !isPermanent(error);
  return new LocalizeError("network", `${what}: ${messageOf(error)}`, { isTransient, cause: error });
}

/** Converts the failure to write a file or directory. Returns a `LocalizeError` unchanged. */
export function writeError(error: unknown, path: string): LocalizeError {
  if (error instanceof LocalizeError) return error;
  const failure = isFull(error) ? "noSpace" : "badConfig";
  return new LocalizeError(failure, `${path} cannot be written: ${messageOf(error)}`, { cause: error });
}

/** Returns whether an error reports a full disk or an exhausted quota. */
export function isFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(codeOf(error));
}

/** Creates the error for files that need more than the free space. */
export function noSpace(needed: string, availableBytes: number, entry?: string): LocalizeError {
  const what = entry === undefined ? "The files need" : `${entry} needs`;
  return new LocalizeError("noSpace", `${what} ${needed} bytes; ${availableBytes} are available`, { entry });
}

/** Returns Node's error code, such as `ECONNRESET`, or an empty string. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
