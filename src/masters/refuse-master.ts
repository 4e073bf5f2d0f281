import { issue } from "../errors/issue.ts";
import { throwIssues } from "../errors/submit-error.ts";
import { type SubmissionElsewhere, tellUnderstood } from "../submit/resolve/understand.ts";

/** Says that a master is not served, after what Spark's front end says before. @throws SUBMIT_ERR_MASTER_NOT_SERVED, after all problems */
export function refuseMaster(submission: SubmissionElsewhere): never {
  const { master, issues } = submission;
  tellUnderstood(submission);
  const refusal = issue("SUBMIT_ERR_MASTER_NOT_SERVED", { master: master.text, mode: master.mode });
  throwIssues([...issues, refusal]);
  throw new Error("issues are thrown");
}
