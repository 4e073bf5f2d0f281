import { newestRelease, type SparkVersion } from "../../conf/spark-version.ts";
import { failure, type Issue, withIssues } from "../../errors/issue.ts";
import { orThrow, throwIssues } from "../../errors/submit-error.ts";
import type { KubernetesMaster } from "../../plan/master.ts";
import type { SubmitRequest } from "../../plan/submit-request.ts";
import { enterEmbedded, isEmbedded } from "../../resolve/enter-embedded.ts";
import { prepareApplication } from "../../resolve/prepare-application.ts";
import { printFrontEndOutput } from "../../resolve/print-front-end-output.ts";
import type { SettingsInput } from "../../resolve/resolve-settings.ts";
import { type ResolvedSubmission, resolveSubmission } from "../../resolve/resolve-submission.ts";
import type { SubmitContext } from "../master-strategy.ts";
import { printPrepared } from "./print-prepared.ts";

/** Inputs of a request. */
export interface ResolveInput extends SettingsInput, Pick<SubmitContext, "openEmbedded"> {}

/** A request and its problems; planning can find further ones. */
export interface DraftRequest {
  readonly request: SubmitRequest;
  readonly issues: readonly Issue[];
}

/**
 * Turns a command line into a request for Kubernetes in cluster mode: reads files, defaults and environment, checks
 * everything, and makes paths URIs. Writes to stderr what Spark's front end writes.
 *
 * @throws SubmitError with every problem, in Spark's order; SUBMIT_ERR_MASTER_NOT_SERVED for other masters and modes
 */
export async function resolve(input: ResolveInput): Promise<SubmitRequest> {
  const submission = resolveSubmission(input);
  const { request, issues } = await draftRequest(submission, input.openEmbedded);
  throwIssues(issues);
  return request;
}

/**
 * Drafts the request of a resolved submission. Problems of single values become issues of the draft.
 *
 * @throws SubmitError with every problem, if the master or the dependencies are invalid
 */
export async function draftRequest(
  submission: ResolvedSubmission,
  openEmbedded: SubmitContext["openEmbedded"],
): Promise<DraftRequest> {
  printFrontEndOutput(submission);
  const master = kubernetesMaster(submission);
  // Do not start a cluster for a submission that is rejected anyway.
  if (isEmbedded(master)) throwIssues(submission.issues);
  const { access, ...entered } = await enterEmbedded({ ...submission, openEmbedded, master });
  const { settings, version } = entered;
  const { master: url, apiServer } = entered.master;
  const target = { manager: "kubernetes", master: url, settings, version } as const;
  const drafted = await prepareApplication(withExample(submission, version), target);
  const draft = { request: { ...drafted.request, apiServer, access }, issues: drafted.issues };
  if (submission.invocation.verbose && draft.issues.length === 0)
    submission.host.stderr.write(printPrepared(draft.request));
  return draft;
}

/** Returns the parsed master. @throws SubmitError with every problem, unless it is a valid Kubernetes master in cluster mode */
function kubernetesMaster({ master, masterIssues, issues }: ResolvedSubmission): KubernetesMaster {
  const { text, mode, strategy, kubernetes } = master;
  if (masterIssues.length > 0) throwIssues(issues);
  if (kubernetes !== undefined && strategy === "kubernetes") return kubernetes;
  return orThrow(withIssues(issues, failure("SUBMIT_ERR_MASTER_NOT_SERVED", { master: text, mode })));
}

/** Replaces the resource of an example by the jar in Spark's images, whose name includes the version. */
function withExample(submission: ResolvedSubmission, { text, line }: SparkVersion): ResolvedSubmission {
  const { invocation } = submission;
  if (!invocation.isExample) return submission;
  const resource = `local:///opt/spark/examples/jars/spark-examples_${newestRelease(line).scala}-${text}.jar`;
  return { ...submission, resource, invocation: { ...invocation, resource } };
}
