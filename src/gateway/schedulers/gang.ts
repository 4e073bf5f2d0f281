import { addExecutor } from "../../explain/submission-objects.ts";
import { addAmounts, parseAmounts, podAmounts, printAmounts } from "../../kube/amounts.ts";
import type { Container, Pod } from "../../kube/types.ts";
import type { RenderedSubmission } from "../../masters/master-strategy.ts";
import { minimumExecutors } from "../../plan/minimum-demand.ts";

/** Pods of an application that a scheduler places together. */
export interface Gang {
  readonly driver: GangPod;
  /** One executor, and how many the application cannot do without; `undefined` if it needs none. */
  readonly executors: { readonly pod: GangPod; readonly count: number } | undefined;
}

/** Requirements of a pod for its node. */
export interface GangPod extends Pick<NonNullable<Pod["spec"]>, "nodeSelector" | "tolerations" | "affinity"> {
  readonly requests: Requests;
}

/** Quantities of Kubernetes by resource, e.g. `cpu`, `memory`, `nvidia.com/gpu`. */
export type Requests = Readonly<Record<string, string>>;

/** Returns the pods that a submission creates at its start. */
export function gangOf({ driver, built, executor }: RenderedSubmission): Gang {
  const { pods } = addExecutor({ driver, built }, executor);
  const count = minimumExecutors(driver.conf);
  return {
    driver: gangPod(pods.driver),
    executors: pods.executor === undefined || count === 0 ? undefined : { pod: gangPod(pods.executor), count },
  };
}

/** Returns what a scheduler must know of a pod. */
export function gangPod({ spec = { containers: [] } }: Pod): GangPod {
  const { containers, initContainers = [], nodeSelector, tolerations, affinity } = spec;
  // The API server will set requests that are missing to the limits.
  const completed = {
    ...spec,
    containers: containers.map(withRequests),
    initContainers: initContainers.map(withRequests),
  };
  return {
    requests: printAmounts(podAmounts(completed, "requests")),
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations }),
    ...(affinity && { affinity }),
  };
}

/** Returns the requests of all pods of a gang together. */
export function totalRequests({ driver, executors }: Gang): Requests {
  const pods = Array.from({ length: executors?.count ?? 0 }, () => parseAmounts(executors?.pod.requests));
  return printAmounts(pods.reduce(addAmounts, parseAmounts(driver.requests)));
}

function withRequests(container: Container): Container {
  const { requests, limits } = container.resources ?? {};
  return { ...container, resources: { ...container.resources, requests: { ...limits, ...requests } } };
}
