import type { ApplicationState } from "../masters/kubernetes/applications/application-summary.ts";
import { summarizeApplication } from "../masters/kubernetes/applications/application-summary.ts";
import { type ListedApplication, listApplications } from "../masters/kubernetes/applications/list-applications.ts";
import type { ApplicationStatus } from "./application.ts";
import type { FoundCluster } from "./clusters.ts";
import type { CallOptions } from "./submit-options.ts";

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
  /** States of the applications. @default all */
  readonly states?: readonly ApplicationState[] | undefined;
}

/**
 * Change of an application, with its new status.
 *
 * @example
 * ```ts
 * const print = ({ type, application }: ApplicationChange) => console.log(type, application.appName, application.state);
 * ```
 */
export interface ApplicationChange {
  /** `added`: exists now, or already at the start of the watch. `deleted`: its pod does not exist any more. */
  readonly type: "added" | "changed" | "deleted";
  /** Status after the change; for `deleted`, the last known details. */
  readonly application: ApplicationStatus;
}

/** Lists the applications of a cluster, the newest first. @throws SUBMIT_ERR_KUBE_… */
export async function listIn(found: FoundCluster, options: ListOptions): Promise<readonly ListedApplication[]> {
  const { states } = options;
  const applications = await listApplications(found.cluster.client, namespaceOf(found, options));
  return states === undefined ? applications : applications.filter(({ state }) => states.includes(state));
}

/** Yields the changes of applications, from those that exist. A slow reader gets the last change of each. @throws SUBMIT_ERR_KUBE_FORBIDDEN */
export async function* watchIn(
  found: FoundCluster,
  options: ListOptions,
  signal: AbortSignal,
): AsyncGenerator<ApplicationChange, void, undefined> {
  const { states } = options;
  const known = new Map<string, string>();
  const changes = new Map<string, ApplicationChange>();
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};
  const stop = found.cluster.watch(namespaceOf(found, options)).followAll({
    onDriver({ object, isDeleted }) {
      const uid = object.metadata?.uid ?? "";
      const summary = summarizeApplication(object);
      const text = JSON.stringify(summary);
      const before = known.get(uid);
      if (!isDeleted && before === text) return;
      if (isDeleted) known.delete(uid);
      else known.set(uid, text);
      const unread = changes.get(uid)?.type;
      const type = isDeleted ? "deleted" : before === undefined || unread === "added" ? "added" : "changed";
      const application = { ...summary, state: isDeleted ? ("deleted" as const) : summary.state };
      if (isDeleted || states === undefined || states.includes(summary.state)) changes.set(uid, { type, application });
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
      const [first] = changes;
      if (first === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      changes.delete(first[0]);
      yield first[1];
    }
  } finally {
    signal.removeEventListener("abort", abort);
    stop();
  }
}

function namespaceOf(found: FoundCluster, { namespace = found.namespace }: ListOptions): string | undefined {
  return typeof namespace === "string" ? namespace : undefined;
}
