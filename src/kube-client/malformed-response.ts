import { type SubmitError, submitError } from "../errors/submit-error.ts";
import type { Exchange } from "./exchange.ts";

/** Builds SUBMIT_ERR_KUBE_RESPONSE. */
export function malformedResponse(
  { server }: { readonly server: string },
  { method, target }: Pick<Exchange, "method" | "target">,
  reason: string,
): SubmitError {
  return submitError("SUBMIT_ERR_KUBE_RESPONSE", { method, url: `${server}${target.split("?")[0]}`, reason });
}
