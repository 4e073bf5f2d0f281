import type { SubmitRequest } from "../../../plan/submit-request.ts";
import type { ResolvedSubmission } from "../../../resolve/resolve-submission.ts";
import { hasPackages } from "../../package-jars.ts";
import { providePackageJars } from "./provide-packages.ts";
import type { Provision } from "./provision.ts";

/**
 * Provides files that a submission needs and that do not exist yet: the jars of its packages.
 *
 * @param request the valid submission as it is planned without these files
 * @throws what `providePackageJars` throws
 */
export async function provide(
  submission: ResolvedSubmission,
  request: SubmitRequest,
  provision: Provision,
): Promise<ResolvedSubmission> {
  return hasPackages(submission) ? providePackageJars(submission, request, provision) : submission;
}
