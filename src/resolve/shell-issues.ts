import { type Issue, issue } from "../errors/issue.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";

/** What is wrong with the words of a shell besides its options: none takes an application, and that in Python takes no word. */
export function shellIssues({ shell, appArgs }: SubmitInvocation): readonly Issue[] {
  const [first] = appArgs;
  if (first === undefined) return [];
  if (shell === "r") return /\.[rR]$/.test(first) ? [issue("SUBMIT_ERR_SPARKR_FILE", {})] : [];
  return [
    first.endsWith(".py") ? issue("SUBMIT_ERR_PYSPARK_FILE", {}) : issue("SUBMIT_ERR_PYSPARK_ARGS", {}),
  ];
}
