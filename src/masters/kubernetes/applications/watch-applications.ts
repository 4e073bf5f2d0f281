import type { Clock, Random } from "../../../host/host.ts";
import { isFinalPhase } from "../../../kube/pod-phase.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { roleLabel } from "../../../plan/labels.ts";
import { type Informer, startInformer } from "../diagnose/informer.ts";
import { summarizeApplication } from "./application-summary.ts";
import { joinExecutors, type ListedApplication, summarizeExecutor } from "./list-applications.ts";

interface WatchApplicationsCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** `undefined` for all namespaces. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

/** Changes within this time are reported together. */
const collectMs = 250;

/**
 * Calls `onChange` with all applications, the newest first, now and after each change, until the signal aborts. One watch serves drivers
 * and executors.
 *
 * @throws SUBMIT_ERR_KUBE_FORBIDDEN
 */
export async function watchApplications(
  call: WatchApplicationsCall,
  onChange: (applications: readonly ListedApplication[]) => void,
): Promise<void> {
  const { client, clock, random, namespace, signal } = call;
  const stopped = new AbortController();
  let denied: { readonly error: unknown } | undefined;
  let notify = () => {};
  const informer = startInformer<Pod>({
    ...{ client: client.withoutRetries(), clock, random, type: resourceTypes.pod },
    ...(namespace !== undefined && { namespace }),
    labelSelector: `${roleLabel} in (driver,executor)`,
    onDenied(error) {
      denied = { error };
      notify();
    },
    signal: AbortSignal.any([signal, stopped.signal]),
  });
  informer.onChange(() => notify());
  signal.addEventListener("abort", () => notify(), { once: true });
  try {
    while (!signal.aborted && denied === undefined) {
      await clock.sleep(collectMs, { signal });
      onChange(applicationsOf(informer));
      await new Promise<void>((resolve) => {
        notify = resolve;
        if (signal.aborted || denied !== undefined) resolve();
      });
    }
  } finally {
    stopped.abort();
  }
  if (denied !== undefined) throw denied.error;
}

function applicationsOf(informer: Informer<Pod>): readonly ListedApplication[] {
  const pods = informer.get().flatMap(({ object, isDeleted }) => (isDeleted ? [] : [object]));
  const isDriver = ({ metadata }: Pod) => metadata?.labels?.[roleLabel] === "driver";
  const executors = pods.filter((pod) => !isDriver(pod) && !isFinalPhase(pod.status?.phase));
  return joinExecutors(pods.filter(isDriver).map(summarizeApplication), executors.map(summarizeExecutor));
}
