import { newestRelease, type SparkVersion } from "../../conf/spark-version.ts";
import { failure, type Issue, withIssues } from "../../errors/issue.ts";
import { orThrow } from "../../errors/submit-error.ts";
import type { KubernetesMaster } from "../../plan/master.ts";
import type { SubmitRequest } from "../../plan/submit-request.ts";
import type { Entered } from "../../resolve/destination.ts";
import { enterEmbedded, enterUnopened } from "../../resolve/enter-embedded.ts";
import { prepareApplication } from "../../resolve/prepare-application.ts";
import { printFrontEndOutput } from "../../resolve/print-front-end-output.ts";
import { rejectIfAny } from "../../resolve/reject.ts";
import type { SettingsInput } from "../../resolve/resolve-settings.ts";
import { type ResolvedSubmission, resolveSubmission } from "../../resolve/resolve-submission.ts";
import type { SubmitContext } from "../master-strategy.ts";
import { printPrepared } from "./print-prepared.ts";
import type { Provision } from "./provide/provision.ts";

/**
 * Inputs of a request.
 *
 * @example
 * ```ts
 * const input: ResolveInput = { host: nodeHost(), log: () => {}, invocation };
 * ```
 */
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
 *
 * @example
 * ```ts
 * const request = await resolve({ host: nodeHost(), log: () => {}, invocation });
 * console.log(request.apiServer);
 * ```
 */
export async function resolve(input: ResolveInput): Promise<SubmitRequest> {
  const submission = await resolveSubmission(input);
  const check = async ({ request, issues }: DraftRequest) => rejectIfAny(issues, request.behaviors);
  const draft = await draftRequest(submission, { ...input, check });
  await check(draft);
  return draft.request;
}

interface DraftOptions extends Pick<SubmitContext, "openEmbedded"> {
  /**
   * Rejects a submission before the embedded cluster is opened and before files are provided: both can download much.
   */
  readonly check: (draft: DraftRequest) => Promise<void>;
  /** @default "complete" */
  readonly provision?: Provision | undefined;
}

/**
 * Drafts the request of a resolved submission. Its problems become issues of the draft.
 *
 * @throws SubmitError with every problem, if this is not a submission to Kubernetes in cluster mode; what `check` throws
 */
export async function draftRequest(
  submission: ResolvedSubmission,
  { openEmbedded, check, provision }: DraftOptions,
): Promise<DraftRequest> {
  printFrontEndOutput(submission);
  const destination = { ...submission, openEmbedded, master: kubernetesMaster(submission) };
  const unopened = await enterUnopened(destination);
  let provided = submission;
  if (unopened !== undefined || needsProvision(submission)) {
    const planned = await draftFor(submission, unopened ?? (await enterEmbedded(destination)));
    await check(planned);
    const { provide } = await import("./provide/provide.ts");
    provided = await provide(submission, { ...planned, isEmbedded: unopened !== undefined }, provision);
  }
  const draft = await draftFor(provided, await enterEmbedded({ ...destination, read: provided.read }));
  if (submission.invocation.verbose && draft.issues.length === 0)
    submission.host.stderr.write(printPrepared(draft.request));
  return draft;
}

/** Whether a submission needs files that are provided for it, or directories that are prepared. */
export function needsProvision({ fields }: ResolvedSubmission): boolean {
  return fields.has("packages") || fields.has("pythonEnv") || fields.has("mounts");
}

async function draftFor(
  submission: ResolvedSubmission,
  { master: { master, apiServer }, access, settings, version }: Entered,
): Promise<DraftRequest> {
  const target = { manager: "kubernetes", master, settings, version } as const;
  const { request, issues } = await prepareApplication(withExample(submission, version), target);
  return { request: { ...request, apiServer, access }, issues };
}

/** Returns the parsed master. @throws SubmitError with every problem, unless it is a Kubernetes master in cluster mode */
function kubernetesMaster({ master, masterIssues, issues, behaviors }: ResolvedSubmission): KubernetesMaster {
  const { text, mode, strategy, kubernetes } = master;
  if (masterIssues.length > 0 && behaviors.issueReport === "spark") rejectIfAny(issues, behaviors);
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
