import { firesteelSubmissionToken } from "../../../conf/entries/firesteel.ts";
import { namespace } from "../../../conf/entries/submission.ts";
import type { SubmitRequest } from "../../../plan/submit-request.ts";
import { printMaster } from "../connect/connection-options.ts";

/** Returns the seed of the IDs of a submission with a token; `undefined` without a valid token or namespace. */
export function submissionSeed(request: SubmitRequest, clusterName = printMaster(request)): string | undefined {
  const token = request.conf.read(firesteelSubmissionToken);
  const submissionNamespace = request.conf.read(namespace);
  if (!token.ok || token.value === undefined || !submissionNamespace.ok) return undefined;
  return JSON.stringify([token.value, submissionNamespace.value, clusterName]);
}
