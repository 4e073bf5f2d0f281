import { messageOf } from "../errors/message-of.ts";
import { isSubmitError } from "../errors/submit-error.ts";
import type { LocalizeFailure } from "../staging-client/localize-config.ts";
import { isFinal } from "../staging-client/transient-error.ts";

/** Error that ends the init container, or one attempt that may be repeated. */
export class LocalizeError extends Error {
  readonly code: LocalizeFailure;
  /** The entry it is about: its folder and name. */
  readonly entry: string | undefined;
  /** Whether the same may succeed later. */
  readonly isTransient: boolean;
  /** When to try again, if the server says. */
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

/** The failure of an exchange with a server that gave no whole answer. */
export function networkError(error: unknown, what: string): LocalizeError {
  if (error instanceof LocalizeError) return error;
  // A proxy from the environment that is not a valid address.
  if (isSubmitError(error)) return new LocalizeError("badConfig", error.message, { cause: error });
  const isTransient = !isFinal(error);
  return new LocalizeError("network", `${what}: ${messageOf(error)}`, { isTransient, cause: error });
}

/** A file or folder that could not be written. */
export function writeError(error: unknown, path: string): LocalizeError {
  if (error instanceof LocalizeError) return error;
  const failure = isFull(error) ? "noSpace" : "badConfig";
  return new LocalizeError(failure, `${path} cannot be written: ${messageOf(error)}`, { cause: error });
}

/** Whether a disk or a quota is full. */
export function isFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(codeOf(error));
}

/** More bytes than there is space for. */
export function noSpace(needed: string, availableBytes: number, entry?: string): LocalizeError {
  const what = entry === undefined ? "The files need" : `${entry} needs`;
  return new LocalizeError("noSpace", `${what} ${needed} bytes; ${availableBytes} are available`, { entry });
}

/** Node's code for an error: `ECONNRESET`; empty where there is none. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
