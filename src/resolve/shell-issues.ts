import { type Issue, issue } from "../errors/issue.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";

/**
 * Checks the arguments of a shell besides its options: no shell accepts an application, and the Python shell accepts no
 * argument.
 */
export function shellIssues({ shell, appArgs }: SubmitInvocation): readonly Issue[] {
  const [first] = appArgs;
  if (first === undefined) return [];
  if (shell === "r") return /\.[rR]$/.test(first) ? [issue("SUBMIT_ERR_SPARKR_FILE", {})] : [];
  return [first.endsWith(".py") ? issue("SUBMIT_ERR_PYSPARK_FILE", {}) : issue("SUBMIT_ERR_PYSPARK_ARGS", {})];
}
