import { issue, type Result, success } from "../../errors/issue.ts";
import { isSubmitError, throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { type Log, sparkLog } from "../../host/log.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { kubernetesMaster } from "../../masters/kubernetes/kubernetes-master.ts";
import { renderSubmission } from "../../masters/kubernetes/render-submission.ts";
import type { RenderedSubmission } from "../../masters/master-strategy.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";
import { type Demand, minimumDemand } from "../../plan/minimum-demand.ts";
import type { OpenEmbedded } from "../../resolve/destination.ts";
import { type ResolvedSubmission, resolveSubmission } from "../../resolve/resolve-submission.ts";
import type { ApplicationRecord } from "../model/application.ts";
import { defaultQueue } from "../queue/queue-rules.ts";
import { gangOf } from "../schedulers/gang.ts";
import { schedulerSettings } from "../schedulers/scheduler-settings.ts";
import { actAsOwner } from "./act-as-owner.ts";
import { type CompletionCall, completeSurely } from "./complete-surely.ts";
import { createOwned } from "./create-owned.ts";
import { type EarlierDriver, withEarlierDriver } from "./earlier-driver.ts";
import { isolatedHost } from "./isolated-host.ts";
import { markObjects } from "./mark-objects.ts";
import { type SubmissionDefaults, templatePaths, toInvocation } from "./to-invocation.ts";

/** Dependencies of the submissions of a gateway. */
export interface DriverSubmitter {
  readonly host: Host;
  /** Client that all submissions share. */
  readonly client: KubeClient;
  readonly defaults: SubmissionDefaults;
  /** Whether submissions act as the owners of their applications. @default false */
  readonly isImpersonating?: boolean | undefined;
  /** Opens the embedded cluster, if applications run there. */
  readonly openEmbedded: OpenEmbedded | undefined;
}

/** Part of a record from which a submission is made. */
export type SubmissionDraft = Pick<
  ApplicationRecord,
  "key" | "submission" | "namespace" | "podName" | "queue" | "owner" | "ownerGroups" | "proxyUser"
>;

/** Returns the least resources of a submission, or every problem of it, without contacting the API. */
export async function checkSubmission(submitter: DriverSubmitter, record: SubmissionDraft): Promise<Result<Demand>> {
  const rendered = await renderRecord(submitter, record);
  return rendered.ok ? success(minimumDemand(rendered.value.driver)) : rendered;
}

/** Renders the submission of a record without contacting the API. Errors: every problem of it. */
export async function renderRecord(
  submitter: DriverSubmitter,
  record: SubmissionDraft,
): Promise<Result<RenderedSubmission>> {
  try {
    return success(await render(submitter, record, await resolveRecord(submitter, record, () => {})));
  } catch (error) {
    if (isSubmitError(error)) return { ok: false, issues: error.issues };
    throw error;
  }
}

interface SubmitDriverCall extends Omit<CompletionCall, "host" | "key" | "onRejected"> {
  readonly earlierDriver: EarlierDriver;
  /** Receives the output of the submission. */
  readonly onOutput: (text: string) => void;
}

/**
 * Submits the driver of a record, or finds the one that an earlier call created for the same attempt, and creates the objects that it lacks.
 *
 * @throws SubmitError with every problem; what was created, and the driver of an earlier call, is rolled back, except by `completeSurely`
 */
export async function submitDriver(
  submitter: DriverSubmitter,
  record: SubmissionDraft,
  call: SubmitDriverCall,
): Promise<Pod> {
  const { host } = submitter;
  const submission = await resolveRecord(submitter, record, call.onOutput);
  const own = submitter.isImpersonating === true ? actAsOwner(submitter.client, record) : submitter.client;
  const created = createOwned(withEarlierDriver(own, call.earlierDriver));
  const rejections: unknown[] = [];
  const onRejected = (error: unknown) => void rejections.push(error);
  const completed = completeSurely(created, { ...call, host, key: record.key, onRejected });
  // The connection is shared, so its submissions must not close it.
  const client: KubeClient = { ...markObjects(completed, submitter.defaults.gateway), close: () => {} };
  const outcome = await kubernetesMaster.submit(submission, {
    openClient: async () => client,
    // Another process completes the submission with the same IDs, also if it reaches the API at another address.
    cluster: `gateway ${submitter.defaults.gateway}`,
    attemptNames: "shared",
    openEmbedded: submitter.openEmbedded,
  });
  if (outcome.end.kind !== "notAwaited") throw new Error(`The submission waited for its driver: ${outcome.end.kind}.`);
  const { pod } = outcome.end;
  if (rejections.length > 0) {
    // An earlier driver is adopted although it lacks objects, without which its executors cannot reach it.
    const { name = "", namespace = "", uid = "" } = pod.metadata ?? {};
    await completed.delete({ type: resourceTypes.pod, namespace, name, uid });
    throw rejections[0];
  }
  return pod;
}

function render(
  { openEmbedded }: DriverSubmitter,
  { key }: SubmissionDraft,
  submission: ResolvedSubmission,
): Promise<RenderedSubmission> {
  return renderSubmission(submission, { openEmbedded, seed: key });
}

/** Resolves the submission of a record, with the settings for the scheduler of its queue. @throws SubmitError with every problem */
async function resolveRecord(
  submitter: DriverSubmitter,
  record: SubmissionDraft,
  onOutput: (text: string) => void,
): Promise<ResolvedSubmission> {
  const scheduler = submitter.defaults.schedulers?.get(record.queue ?? defaultQueue);
  if (scheduler === undefined) return resolveWith(submitter, record, { onOutput });
  // The scheduler must know the pods, which the other settings decide.
  const plain = await resolveWith(submitter, record, { onOutput: () => {} });
  const gang = gangOf(await render(submitter, record, plain));
  return resolveWith(submitter, record, { onOutput, forScheduler: schedulerSettings(scheduler, gang) });
}

interface ResolveOptions {
  readonly onOutput: (text: string) => void;
  readonly forScheduler?: Readonly<Record<string, string>>;
}

/** Resolves a submission on a machine without files. @throws SubmitError with every problem */
async function resolveWith(
  { host, defaults }: DriverSubmitter,
  record: SubmissionDraft,
  { onOutput, forScheduler }: ResolveOptions,
): Promise<ResolvedSubmission> {
  const { submission, owner, proxyUser } = record;
  const files = new Map(
    (["driver", "executor"] as const).flatMap((role) => {
      const text = submission.templates[role];
      return text === undefined ? [] : [[templatePaths[role], text] as const];
    }),
  );
  const isolated = isolatedHost(host, { user: proxyUser ?? owner ?? defaults.user, files, onOutput });
  const log: Log = sparkLog(isolated);
  const invocation: SubmitInvocation = toInvocation(record, defaults, forScheduler);
  const resolved = await resolveSubmission({ host: isolated, log, invocation });
  const { strategy, text, mode } = resolved.master;
  if (strategy !== "kubernetes")
    throwIssues([...resolved.issues, issue("SUBMIT_ERR_MASTER_NOT_SERVED", { master: text, mode })]);
  return resolved;
}
