import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { appSelectorLabel, roleLabel } from "../../../plan/labels.ts";
import { type ApplicationSummary, summarizeApplication } from "./application-summary.ts";

/**
 * An application with the numbers of its executors that have not ended.
 *
 * @example
 * ```ts
 * const isScaledUp = ({ executors }: ListedApplication) => executors.pending === 0;
 * ```
 */
export interface ListedApplication extends ApplicationSummary {
  readonly executors: { readonly running: number; readonly pending: number };
}

/** State of an executor, for the numbers of its application. */
export interface ExecutorSummary {
  readonly namespace: string;
  readonly appId: string;
  readonly isRunning: boolean;
}

interface ListOptions {
  /** Label that the drivers have. @default all drivers */
  readonly driverLabel?: string;
}

/** Executors that have ended exist only if Spark keeps them. */
const notEnded = "status.phase!=Succeeded,status.phase!=Failed";

/**
 * Lists the applications of a namespace, or of all namespaces, the newest first. Keeps one pod in memory.
 *
 * @throws SUBMIT_ERR_KUBE_…
 */
export async function listApplications(
  client: Pick<KubeClient, "listSelected">,
  namespace: string | undefined,
  { driverLabel }: ListOptions = {},
): Promise<readonly ListedApplication[]> {
  const isDriver = driverLabel === undefined ? `${roleLabel}=driver` : `${roleLabel}=driver,${driverLabel}`;
  const location = { type: resourceTypes.pod, ...(namespace !== undefined && { namespace }) };
  const [drivers, executors] = await Promise.all([
    client.listSelected(
      { ...location, labelSelector: isDriver, members: { spec: ["containers"] } },
      summarizeApplication,
    ),
    client.listSelected(
      { ...location, labelSelector: `${roleLabel}=executor`, fieldSelector: notEnded, members: { spec: [] } },
      summarizeExecutor,
    ),
  ]);
  return joinExecutors(drivers, executors);
}

/** Summarizes an executor by its pod. */
export function summarizeExecutor({ metadata, status }: Pod): ExecutorSummary {
  const { namespace = "", labels = {} } = metadata ?? {};
  return { namespace, appId: labels[appSelectorLabel] ?? "", isRunning: status?.phase === "Running" };
}

/** Counts the executors of each application, and sorts the applications, the newest first. */
export function joinExecutors(
  drivers: readonly ApplicationSummary[],
  executors: readonly ExecutorSummary[],
): readonly ListedApplication[] {
  const counts = new Map<string, { running: number; pending: number }>();
  for (const executor of executors) {
    const count = counts.get(keyOf(executor)) ?? { running: 0, pending: 0 };
    count[executor.isRunning ? "running" : "pending"] += 1;
    counts.set(keyOf(executor), count);
  }
  const order = ({ createdAt = "", submissionId }: ApplicationSummary) => `${createdAt} ${submissionId}`;
  return drivers
    .map((driver) => ({ ...driver, executors: counts.get(keyOf(driver)) ?? { running: 0, pending: 0 } }))
    .sort((a, b) => (order(a) < order(b) ? 1 : -1));
}

function keyOf({ namespace, appId = "" }: { readonly namespace: string; readonly appId: string | undefined }): string {
  return `${namespace}/${appId}`;
}
