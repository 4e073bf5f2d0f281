import type { SubmitRequestCall } from "./kubernetes/submit-request.ts";
import { type SubmitCall, submitInvocation } from "./submit-invocation.ts";
import type { KubernetesOutcome, SubmitOutcome } from "./submit-outcome.ts";

/**
 * Submits a command line to the cluster manager of its master, or a request of `resolve` to its Kubernetes API. Waits for the
 * application if the settings say so.
 *
 * @throws SubmitError if Firesteel or the cluster manager rejects the submission; all created objects are rolled back
 *
 * @example
 * ```ts
 * const { end } = await submit({ host: nodeHost(), invocation });
 * console.log(end.kind);
 * ```
 */
export async function submit(call: SubmitRequestCall): Promise<KubernetesOutcome>;
export async function submit(call: SubmitCall): Promise<SubmitOutcome>;
export async function submit(call: SubmitCall | SubmitRequestCall): Promise<SubmitOutcome> {
  if (!("request" in call)) return submitInvocation(call);
  const { submitRequest } = await import("./kubernetes/submit-request.ts");
  return submitRequest(call);
}
