import type { ApplicationState } from "../masters/kubernetes/applications/application-summary.ts";
import { type ListedApplication, listApplications } from "../masters/kubernetes/applications/list-applications.ts";
import type { Cluster, FoundCluster } from "./clusters.ts";
import type { CallOptions } from "./submit-options.ts";
import { type ApplicationChange, unreadChanges } from "./unread-changes.ts";

/**
 * Selection of applications.
 *
 * @example
 * ```ts
 * const failed: ListOptions = { namespace: { all: true }, states: ["failed"] };
 * ```
 */
export interface ListOptions extends CallOptions {
  /** Namespace; `{ all: true }` for all. @default that of the client */
  readonly namespace?: string | { readonly all: true } | undefined;
  /** States of the applications. A watch also reports when an application leaves them. @default all */
  readonly states?: readonly ApplicationState[] | undefined;
}

/** Lists the applications of a cluster, the newest first. @throws SUBMIT_ERR_KUBE_… */
export async function listIn(found: FoundCluster, options: ListOptions): Promise<readonly ListedApplication[]> {
  const { states } = options;
  const applications = await listApplications(found.cluster.client, namespaceOf(found, options));
  return states === undefined ? applications : applications.filter(({ state }) => states.includes(state));
}

/** Watches of a cluster. */
interface WatchedCluster extends Pick<FoundCluster, "namespace"> {
  readonly cluster: Pick<Cluster, "watch">;
}

/** Yields the changes of applications, from those that exist. A slow reader gets the last change of each. @throws SUBMIT_ERR_KUBE_FORBIDDEN */
export async function* watchIn(
  found: WatchedCluster,
  options: ListOptions,
  signal: AbortSignal,
): AsyncGenerator<ApplicationChange, void, undefined> {
  const changes = unreadChanges(options.states);
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};
  const stop = found.cluster.watch(namespaceOf(found, options)).followAll({
    onDriver(driver) {
      changes.add(driver);
      wake();
    },
    onDenied(error) {
      failure = { error };
      wake();
    },
  });
  const abort = () => wake();
  signal.addEventListener("abort", abort);
  try {
    while (true) {
      signal.throwIfAborted();
      if (failure !== undefined) throw failure.error;
      const change = changes.take();
      if (change === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      yield change;
    }
  } finally {
    signal.removeEventListener("abort", abort);
    stop();
  }
}

function namespaceOf(
  found: Pick<FoundCluster, "namespace">,
  { namespace = found.namespace }: ListOptions,
): string | undefined {
  return typeof namespace === "string" ? namespace : undefined;
}
