import { newestRelease, type SparkVersion } from "../conf/spark-version.ts";
import type { Issue } from "../errors/issue.ts";
import { throwIssues } from "../errors/submit-error.ts";
import type { KubernetesMaster } from "../plan/master.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import type { OpenEmbedded } from "./destination.ts";
import { enterEmbedded, isEmbedded } from "./enter-embedded.ts";
import { prepareApplication } from "./prepare-application.ts";
import { requireKubernetesMaster } from "./require-kubernetes-master.ts";
import { type ResolvedSettings, resolveSettings, type SettingsInput } from "./resolve-settings.ts";
import { printPrepared } from "./verbose.ts";

/** What resolving starts from. */
export interface ResolveInput extends SettingsInput {
  /** Opens the cluster that `k8s://embedded` means. @default there is none */
  readonly openEmbedded?: OpenEmbedded | undefined;
}

/** A request, and what keeps it from being one: a plan of it may tell of further problems. */
export interface DraftRequest {
  readonly request: SubmitRequest;
  readonly issues: readonly Issue[];
}

/**
 * Makes a decided request of what a command line asks for: files, defaults and environment are read, everything is
 * checked, paths become URIs. Says on stderr what Spark's front end says there.
 *
 * @throws SubmitError with every problem, in Spark's order and words.
 */
export async function resolve(input: ResolveInput): Promise<SubmitRequest> {
  const { request, issues } = await draftRequest(input);
  throwIssues(issues);
  return request;
}

/**
 * The same where problems of single values do not stop it.
 *
 * @throws SubmitError with all problems, where the master or the dependencies leave nothing to plan
 */
export async function draftRequest(input: ResolveInput): Promise<DraftRequest> {
  const understood = resolveSettings(input);
  return draftAccepted(understood, requireKubernetesMaster(understood), input.openEmbedded);
}

/** The same for what is understood and accepted already. */
export async function draftAccepted(
  understood: ResolvedSettings,
  master: KubernetesMaster,
  openEmbedded: OpenEmbedded | undefined,
): Promise<DraftRequest> {
  // A cluster is not started for what is refused anyway.
  if (isEmbedded(master)) throwIssues(understood.issues);
  const { access, ...entered } = await enterEmbedded({ ...understood, openEmbedded, master });
  const { settings, version } = entered;
  const { master: url, apiServer } = entered.master;
  const drafted = await prepareApplication(withExample(understood, version), {
    ...{ manager: "kubernetes", master: url, settings, version },
  });
  const draft = { request: { ...drafted.request, apiServer, access }, issues: drafted.issues };
  if (understood.invocation.verbose && draft.issues.length === 0)
    understood.host.stderr.write(printPrepared(draft.request));
  return draft;
}

/** Spark's examples are in its images already, in a jar whose name tells the version. */
function withExample(understood: ResolvedSettings, { text, line }: SparkVersion): ResolvedSettings {
  const { invocation } = understood;
  if (!invocation.isExample) return understood;
  const resource = `local:///opt/spark/examples/jars/spark-examples_${newestRelease(line).scala}-${text}.jar`;
  return { ...understood, resource, invocation: { ...invocation, resource } };
}
