import { jarsPackages } from "../../../conf/entries/app.ts";
import { packagesResolver } from "../../../conf/entries/packages.ts";
import type { ErrorCode } from "../../../errors/codes.ts";
import { isSubmitError, throwIssues } from "../../../errors/submit-error.ts";
import { showProgress } from "../../../host/progress.ts";
import { ivySettingsFile } from "../../../packages/read-ivy-settings.ts";
import {
  findStoredJars,
  provideStoredJars,
  type StoredJar,
  type StoredRequest,
} from "../../../packages/stored-jars.ts";
import { whyDriverResolves, whyJarsStay } from "../../../plan/package-resolver.ts";
import type { SubmitRequest } from "../../../plan/submit-request.ts";
import type { ResolvedSubmission } from "../../../resolve/resolve-submission.ts";
import { packageRequest, withPackageJars } from "../../package-jars.ts";
import type { Provision } from "./provision.ts";

/**
 * Replaces the packages of a submission by their jars, so that the driver need not resolve them.
 *
 * @param request the submission as it is planned without the jars
 * @throws SubmitError `SUBMIT_ERR_PACKAGE_…`, SUBMIT_ERR_IVY_…
 */
export async function providePackageJars(
  submission: ResolvedSubmission,
  request: SubmitRequest,
  provision: Provision,
): Promise<ResolvedSubmission> {
  const { host, log, fields } = submission;
  throwIssues(request.conf.check([packagesResolver]));
  const reason = whyDriverResolves(
    request,
    (location) => host.files.info(ivySettingsFile(host, location).path) !== undefined,
  );
  const packages = fields.get("packages")?.value ?? "";
  const leave = (why: string) => {
    log("INFO", "Packages", `The driver resolves ${packages}: ${why}`);
    return submission;
  };
  if (reason !== undefined) return leave(reason);
  const stored = packageRequest(submission);
  const jars = provision === "cached" ? findStoredJars(host, stored) : await resolveHere(submission, stored);
  if (jars === undefined) {
    const text = `The jars of ${packages} are not in the cache. A submission resolves them, and replaces ${jarsPackages.key} by their jars`;
    log("WARN", "Packages", text);
    return submission;
  }
  const obstacle = whyJarsStay(
    request,
    jars.map(({ path }) => path),
    (path) => host.files.info(path)?.sizeBytes ?? 0,
  );
  if (obstacle !== undefined) return leave(obstacle);
  const source = stored.lockPath === undefined ? "" : `, from ${stored.lockPath}`;
  log("INFO", "Packages", `Added ${jars.length === 1 ? "one jar" : `${jars.length} jars`} for ${packages}${source}`);
  return withPackageJars(submission, jars);
}

const resolutionErrors: readonly ErrorCode[] = ["SUBMIT_ERR_PACKAGE_UNRESOLVED", "SUBMIT_ERR_PACKAGE_REPOSITORY"];

/** Resolves packages on this machine. If it fails, perhaps only the cluster reaches the repositories. */
async function resolveHere(
  { host, log }: ResolvedSubmission,
  stored: StoredRequest,
): Promise<readonly StoredJar[] | undefined> {
  try {
    return await provideStoredJars(host, stored, showProgress(host));
  } catch (error) {
    if (isSubmitError(error) && resolutionErrors.includes(error.code)) {
      const text = `If only the cluster reaches the repositories, set ${packagesResolver.key}=driver`;
      log("INFO", "Packages", text);
    }
    throw error;
  }
}
