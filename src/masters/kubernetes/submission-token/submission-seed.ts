import { firesteelSubmissionToken } from "../../../conf/entries/firesteel.ts";
import { namespace } from "../../../conf/entries/submission.ts";
import type { SubmitRequest } from "../../../plan/submit-request.ts";
import { printMaster } from "../connect/connection-options.ts";

/** What the ids of a submission with a token are made of; `undefined` without a token, or where it is not allowed. */
export function submissionSeed(request: SubmitRequest): string | undefined {
  const token = request.conf.read(firesteelSubmissionToken);
  const place = request.conf.read(namespace);
  if (!token.ok || token.value === undefined || !place.ok) return undefined;
  return JSON.stringify([token.value, place.value, printMaster(request)]);
}
