import { submitError } from "../../../errors/submit-error.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import { statusOf } from "../../../kube/status.ts";
import type { Pod } from "../../../kube/types.ts";
import type { DriverConf } from "../../../plan/driver-conf.ts";
import { appSelectorLabel, roleLabel } from "../../../plan/labels.ts";
import type { Manifests } from "../../../spec/manifests.ts";
import { type ApplyCall, driverCreation } from "../create/apply-manifests.ts";
import { findCreated } from "../create/undo-creations.ts";
import type { Staging } from "../stage/transfer/staging.ts";
import { withoutResourceVersion } from "../watch/latest-pod.ts";
import { adopt, type CreateOnceCall, createOnce } from "./create-once.ts";
import { differingParts, printContent, type SubmissionContent, submissionContent } from "./submission-content.ts";

/** Annotation with the attempt that created a pod. */
const attemptAnnotation = "firesteel.dev/submission-attempt";
/** Annotation with the content of a submission, as digests. */
const contentAnnotation = "firesteel.dev/submission-content";

interface SubmitOnceCall extends ApplyCall {
  readonly driver: DriverConf;
  readonly token: string;
  /** Unique ID of the attempt. */
  readonly attempt: string;
  readonly staged: Staging;
  /** Completes what another attempt may not have done for its pod. @throws if this is not possible; then the pod is deleted */
  readonly resume: (pod: Pod) => Promise<Pod>;
}

/**
 * Creates the driver of a submission, unless an earlier or concurrent attempt with the same token created it. That driver is
 * adopted, even if it has ended.
 *
 * @returns the driver's pod, without a resource version if another attempt created it
 * @throws SUBMIT_ERR_TOKEN_REUSED, and what `createOnce` throws
 */
export async function submitOnce(call: SubmitOnceCall): Promise<Pod> {
  const content = submissionContent(call.token, call.driver);
  const { attempt: ownPart } = call.driver.facts.uniqueIds;
  const marked: CreateOnceCall = {
    ...call,
    manifests: mark(call, content),
    isOwnPod: ({ annotations }) => annotations?.[attemptAnnotation] === call.attempt,
    isOwnResource: ({ metadata }) => ownPart !== undefined && metadata.name?.includes(ownPart) === true,
  };
  const earlier = await findEarlier(call);
  if (earlier !== undefined) {
    const pod = adoptDriver(call, content, earlier);
    const phase = earlier.status?.phase;
    if (phase === "Succeeded" || phase === "Failed") return pod;
    // The earlier attempt may have ended after it created the pod.
    await adopt(marked, earlier);
    return phase === "Pending" ? call.resume(pod) : pod;
  }
  let concurrent: Pod | undefined;
  try {
    return await call.staged(async (resources) => {
      const manifests = { ...marked.manifests, resources };
      const { pod, isAdopted } = await createOnce({ ...marked, manifests });
      if (!isAdopted) return pod;
      concurrent = pod;
      throw new Error("A concurrent attempt created the driver.");
    });
  } catch (error) {
    if (concurrent === undefined) throw error;
    return call.resume(adoptDriver(call, content, concurrent));
  }
}

function mark({ manifests, attempt }: SubmitOnceCall, content: SubmissionContent): Manifests {
  const { pod } = manifests;
  const annotations = {
    ...pod.metadata?.annotations,
    [attemptAnnotation]: attempt,
    [contentAnnotation]: printContent(content),
  };
  return { ...manifests, pod: { ...pod, metadata: { ...pod.metadata, annotations } } };
}

/** Finds an earlier driver by its application ID, because a different application name gives a different pod name. */
async function findEarlier({ client, manifests, signal }: SubmitOnceCall): Promise<Pod | undefined> {
  const { namespace, pod } = manifests;
  const type = resourceTypes.pod;
  const appId = pod.metadata?.labels?.[appSelectorLabel] ?? "";
  const labelSelector = `${roleLabel}=driver,${appSelectorLabel}=${appId}`;
  try {
    const { items } = await client.list<Pod>({ type, namespace, labelSelector, ...(signal && { signal }) });
    return items.find(({ metadata }) => metadata?.labels?.[appSelectorLabel] === appId);
  } catch (error) {
    if (statusOf(error)?.code !== 403) throw error;
    return findCreated<Pod>(client, driverCreation(manifests));
  }
}

function adoptDriver({ log, manifests }: SubmitOnceCall, content: SubmissionContent, pod: Pod): Pod {
  const { name = "", annotations = {} } = pod.metadata ?? {};
  const id = `${manifests.namespace}:${name}`;
  const parts = differingParts(content, annotations[contentAnnotation]);
  if (parts.length > 0) throw submitError("SUBMIT_ERR_TOKEN_REUSED", { id, parts });
  const phase = pod.status?.phase ?? "unknown";
  log("INFO", "Client", `An earlier submission used the same token: adopting ${id} (phase: ${phase})`);
  return withoutResourceVersion(pod);
}
