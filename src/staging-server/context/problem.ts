import type { Digest } from "../../staging-client/bundle.ts";
import { type ProblemCode, problemStatuses, type StagingProblem } from "../../staging-client/protocol.ts";

/** Fields of a problem besides its message. */
interface ProblemDetails {
  /** Additional headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Digests of contents that are not staged. */
  readonly missing?: readonly Digest[];
  readonly cause?: unknown;
}

/** Error that rejects a request. All problems become responses of the same shape. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly details: ProblemDetails;

  constructor(code: ProblemCode, message: string, details: ProblemDetails = {}) {
    super(message, { cause: details.cause });
    this.name = "Problem";
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return problemStatuses[this.code];
  }
}

/** Builds the response body of a problem. */
export function problemBody({ code, message, details }: Problem, requestId: string): StagingProblem {
  const { missing } = details;
  const retryable = ["IDLE", "WRONG_OFFSET", "TOO_MANY_REQUESTS", "INTERNAL", "UNAVAILABLE", "STORE_FULL"];
  return {
    error: {
      ...{ code, message, requestId },
      retryable: retryable.includes(code),
      ...(missing === undefined ? {} : { missing }),
    },
  };
}
