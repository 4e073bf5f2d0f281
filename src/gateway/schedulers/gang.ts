import { orThrow } from "../../errors/submit-error.ts";
import { buildSubmission } from "../../explain/submission-objects.ts";
import type { Container, Pod } from "../../kube/types.ts";
import type { RenderedSubmission } from "../../masters/master-strategy.ts";
import { minimumExecutors } from "../../plan/minimum-demand.ts";
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  printQuantity,
  type Quantity,
} from "../../values/quantity.ts";

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

/** Returns the pods that a submission creates at its start. @throws SubmitError with every problem */
export function gangOf({ request, driver, executor, userSteps }: RenderedSubmission): Gang {
  const { pods } = orThrow(buildSubmission({ request, facts: driver.facts, executor, userSteps }));
  const count = minimumExecutors(driver.conf);
  return {
    driver: gangPod(pods.driver),
    executors: pods.executor === undefined || count === 0 ? undefined : { pod: gangPod(pods.executor), count },
  };
}

/** Returns what a scheduler must know of a pod. */
export function gangPod({ spec }: Pod): GangPod {
  const { containers = [], initContainers = [], nodeSelector, tolerations, affinity } = spec ?? {};
  const sum = containers.map(requestsOf).reduce(addRequests, {});
  return {
    // Init containers run before the others, one after the other.
    requests: initContainers.map(requestsOf).reduce(largerRequests, sum),
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations }),
    ...(affinity && { affinity }),
  };
}

/** Returns the requests of all pods of a gang together. */
export function totalRequests({ driver, executors }: Gang): Requests {
  const pods = Array.from({ length: executors?.count ?? 0 }, () => executors?.pod.requests ?? {});
  return pods.reduce(addRequests, driver.requests);
}

function requestsOf({ resources: { requests = {}, limits = {} } = {} }: Container): Requests {
  return { ...limits, ...requests };
}

function addRequests(a: Requests, b: Requests): Requests {
  return combined(a, b, addQuantities);
}

function largerRequests(a: Requests, b: Requests): Requests {
  return combined(a, b, (one, other) => (compareQuantities(one, other) < 0 ? other : one));
}

function combined(a: Requests, b: Requests, combine: (one: Quantity, other: Quantity) => Quantity): Requests {
  const entries = Object.entries(b).map(([name, text]): [string, string] => {
    const [one, other] = [parseQuantity(a[name] ?? ""), parseQuantity(text)];
    return [name, one === undefined || other === undefined ? text : printQuantity(combine(one, other))];
  });
  return { ...a, ...Object.fromEntries(entries) };
}
