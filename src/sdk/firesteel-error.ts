import { isSubmitError, SubmitError } from "../errors/submit-error.ts";
import { isTransient } from "../kube/is-transient.ts";

/**
 * A failure of a call: every problem of its input, or one call that the cluster rejected or did not receive. A failed application is
 * not an error, but an outcome.
 *
 * `code` and `kind` are those of the first issue. Each issue has a message and usually a hint. `cause` is the original error.
 *
 * @example
 * ```ts
 * try {
 *   await firesteel.submit({ app: "local:///opt/app.py" });
 * } catch (error) {
 *   if (!(error instanceof FiresteelError)) throw error;
 *   for (const { code, message, hint } of error.issues) console.error(code, message, hint);
 *   if (error.isRetryable) console.error("Try again later.");
 * }
 * ```
 */
export class FiresteelError extends SubmitError {
  /**
   * Whether the same call can succeed later without a change: the cluster was not reached in time, or was overloaded.
   *
   * @example
   * ```ts
   * const isTemporary = error instanceof FiresteelError && error.isRetryable;
   * ```
   */
  readonly isRetryable: boolean;

  /**
   * Wraps a failure of Firesteel.
   *
   * @example
   * ```ts
   * throw new FiresteelError(failure);
   * ```
   */
  constructor(failure: SubmitError) {
    super(failure.issues, { cause: failure });
    this.name = "FiresteelError";
    this.isRetryable = isTransient(failure);
  }
}

/** Calls an action that ends by itself when the signal aborts. @throws as `withFiresteelErrors` */
export async function withTypedErrors<T>(signal: AbortSignal | undefined, action: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await action();
  } catch (error) {
    throw toFiresteelError(error);
  }
}

/**
 * Calls an action. Replaces failures of Firesteel by `FiresteelError`.
 *
 * @throws FiresteelError; the reason of the signal if it aborts first; other errors unchanged
 */
export function withFiresteelErrors<T>(signal: AbortSignal | undefined, action: () => Promise<T>): Promise<T> {
  return withTypedErrors(signal, () => (signal === undefined ? action() : untilAborted(signal, action)));
}

/** Returns a signal that follows those of callers. Node warns about more than ten listeners of one signal, which many calls can share. */
export function ownSignal(...signals: readonly AbortSignal[]): AbortSignal {
  return AbortSignal.any([...signals]);
}

/** Wraps a failure of Firesteel; returns other errors unchanged. */
export function toFiresteelError(error: unknown): unknown {
  return isSubmitError(error) && !(error instanceof FiresteelError) ? new FiresteelError(error) : error;
}

function untilAborted<T>(signal: AbortSignal, action: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const own = ownSignal(signal);
    const abort = () => reject(own.reason);
    own.addEventListener("abort", abort, { once: true });
    const release = () => own.removeEventListener("abort", abort);
    action().then(resolve, reject).finally(release);
  });
}
