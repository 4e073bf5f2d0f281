import { submitError } from "../errors/submit-error.ts";
import { type OperationInput, resolveOperation } from "../resolve/resolve-operation.ts";
import type { OperationOutcome, SubmitContext } from "./master-strategy.ts";
import { loadStrategy } from "./strategies.ts";

/**
 * Performs a `--kill` or `--status` at the cluster manager of its master.
 *
 * @throws SUBMIT_ERR_NO_OPERATIONS, and what `resolveOperation` and the strategy throw
 */
export async function operate(call: OperationInput & SubmitContext): Promise<OperationOutcome> {
  const operation = await resolveOperation(call);
  const strategy = await loadStrategy(operation.strategy);
  if (strategy.operate === undefined) throw submitError("SUBMIT_ERR_NO_OPERATIONS", { master: operation.master });
  return strategy.operate(operation, call);
}
