import type { StopSignal } from "../errors/stop-signal.ts";
import { hasCode } from "../errors/submit-error.ts";
import { resourceTypeOf, resourceTypes } from "../kube/resources.ts";
import type { Pod } from "../kube/types.ts";
import { type ApplicationRun, findDriverPod } from "./application-run.ts";

/** Time between two lists of a driver that is being deleted. */
const pollMs = 500;

/** Time after which to report that a driver still exists: the default grace period of a pod. */
const reportAfterMs = 30_000;

interface DeleteOptions {
  /** Ends the wait; the deletion continues in the cluster. @default an interrupt ends the program */
  readonly signal?: StopSignal | undefined;
}

/**
 * Deletes the driver with the objects of its run, and waits until it does not exist. A later driver of the same name is kept.
 *
 * @returns whether a driver or an object existed
 */
export async function deleteRun(run: ApplicationRun, { signal }: DeleteOptions = {}): Promise<boolean> {
  const { client, application } = run;
  const { namespace, objects } = application;
  const pod = await findDriverPod(run);
  let existed = pod !== undefined && (await deletePod(run, pod));
  for (const object of objects) {
    const target = { type: resourceTypeOf(object), namespace, name: object.metadata.name ?? "" };
    existed = (await client.delete(target)) || existed;
  }
  if (pod !== undefined) await waitUntilDeleted(run, { pod, signal });
  return existed;
}

async function deletePod({ client, application }: ApplicationRun, { metadata }: Pod): Promise<boolean> {
  const { namespace, podName } = application;
  const uid = metadata?.uid;
  try {
    return await client.delete({
      type: resourceTypes.pod,
      namespace,
      name: podName,
      ...(uid !== undefined && { uid }),
    });
  } catch (error) {
    // Another process has replaced the pod since it was listed.
    if (hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) return true;
    throw error;
  }
}

interface Wait extends DeleteOptions {
  readonly pod: Pod;
}

async function waitUntilDeleted(run: ApplicationRun, { pod, signal }: Wait): Promise<void> {
  const { clock, stderr } = run.host;
  const startMs = clock.monotonic();
  let isReported = false;
  while (signal?.aborted !== true) {
    const current = await findDriverPod(run);
    if (current === undefined || current.metadata?.uid !== pod.metadata?.uid) return;
    if (!isReported && clock.monotonic() - startMs >= reportAfterMs) {
      stderr.write(printBlocked(run, current));
      isReported = true;
    }
    await clock.sleep(pollMs, { ...(signal && { signal }) });
  }
}

function printBlocked({ application }: ApplicationRun, { metadata }: Pod): string {
  const { namespace, podName } = application;
  const { finalizers = [] } = metadata ?? {};
  const start = `Still waiting for the deletion of the driver ${namespace}:${podName}`;
  if (finalizers.length === 0) {
    const command = `kubectl delete pod ${podName} -n ${namespace} --force`;
    return `${start}: its containers have not stopped, or its node does not respond.\nHint: If its node is lost, run: ${command}\n`;
  }
  const command = `kubectl edit pod ${podName} -n ${namespace}`;
  return `${start}: it has the finalizers ${finalizers.join(", ")}.\nHint: If the controller of the finalizers does not run any more, remove them: ${command}\n`;
}
