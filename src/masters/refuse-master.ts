import { submitError, throwIssues } from "../errors/submit-error.ts";
import { type SubmissionElsewhere, tellUnderstood } from "../submit/resolve/understand.ts";

/** Says that a master is not served, after what Spark's front end says before. @throws SUBMIT_ERR_MASTER_NOT_SERVED, after all problems */
export function refuseMaster(submission: SubmissionElsewhere): never {
  const { master, issues } = submission;
  tellUnderstood(submission);
  throwIssues(issues);
  throw submitError("SUBMIT_ERR_MASTER_NOT_SERVED", { master: master.text, mode: master.mode });
}
