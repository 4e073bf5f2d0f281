import { isSubmitError, messageOf } from "../../errors/submit-error.ts";
import { statusOf } from "../../kube/status.ts";

/** Result of a request: what it returned, or why it returned nothing. */
export type Fetched<T> =
  | { readonly kind: "found"; readonly value: T }
  /** The object, or its type, does not exist. */
  | { readonly kind: "missing" }
  /** The account may not make the request, or the API failed. */
  | { readonly kind: "unknown"; readonly reason: string };

/** Waits for a request, whose failure becomes its result. */
export async function fetched<T>(request: Promise<T>): Promise<Fetched<T>> {
  try {
    return { kind: "found", value: await request };
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    const status = statusOf(error);
    if (status?.code === 404) return { kind: "missing" };
    return { kind: "unknown", reason: status?.message ?? messageOf(error) };
  }
}

/** Returns the value of a result; `undefined` if there is none. */
export function foundValue<T>(result: Fetched<T> | undefined): T | undefined {
  return result?.kind === "found" ? result.value : undefined;
}
