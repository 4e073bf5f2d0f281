import { submitError } from "../../../errors/submit-error.ts";
import type { Clock, Random } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { LogCall } from "../../../kube-client/call.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { lines } from "../../../kube-client/lines.ts";
import { appSelectorLabel, executorIdLabel, roleLabel } from "../../../plan/labels.ts";
import { executorContainerOf, executorId, withExecutorPrefix } from "../logs/follow-executor-logs.ts";
import { driverContainerOf } from "../watch/driver-end.ts";
import type { LogSink } from "../watch/follow-driver-log.ts";

/** Part of a log that is printed, and its form. */
export type LogRange = Pick<LogCall, "sinceTime" | "tailLines" | "previous" | "timestamps" | "signal">;

/** Pods whose logs are printed: the driver, all executors, or the executor with an ID. */
export type LogSource = "driver" | "executors" | { readonly executorId: string };

/** A driver, and whose logs to print. */
export interface LogsCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly driver: Pod;
  readonly source: LogSource;
  readonly stdout: LogSink;
}

const maxLineBytes = 1024 * 1024;
const newline = Buffer.from("\n");

/**
 * Prints what logs contain now. Lines of several executors have the executor as a prefix.
 *
 * @throws SUBMIT_ERR_EXECUTOR_MISSING, SUBMIT_ERR_KUBE_…
 */
export async function printLogs(call: LogsCall, range: LogRange): Promise<void> {
  const { client, driver, source, stdout } = call;
  if (source === "driver") {
    await copyLog(client, driver, { ...range, container: driverContainerOf(driver) }, stdout);
    return;
  }
  for (const pod of await findExecutors(call)) {
    const target = source === "executors" ? withExecutorPrefix(stdout, executorId(pod)) : stdout;
    await copyLog(client, pod, { ...range, container: executorContainerOf(pod) }, target);
  }
}

async function copyLog(
  client: KubeClient,
  { metadata }: Pod,
  range: Omit<LogCall, "namespace" | "pod">,
  target: LogSink,
): Promise<void> {
  const { namespace = "", name: pod = "" } = metadata ?? {};
  for await (const { bytes, end } of lines(client.logs({ ...range, namespace, pod }), maxLineBytes)) {
    target.write(end === "newline" ? Buffer.concat([bytes, newline]) : bytes);
    await target.ready?.();
  }
}

/** Fetches the executors that exist, in the order of their IDs. @throws SUBMIT_ERR_EXECUTOR_MISSING */
async function findExecutors({ client, driver, source }: LogsCall): Promise<readonly Pod[]> {
  const { namespace = "", name: driverName = "" } = driver.metadata ?? {};
  const id = typeof source === "object" ? source.executorId : undefined;
  const labelSelector = executorSelector(driver, id);
  const { items } = await client.list<Pod>({ type: resourceTypes.pod, namespace, labelSelector });
  if (items.length === 0) throw submitError("SUBMIT_ERR_EXECUTOR_MISSING", { id, driver: driverName });
  return items.sort((a, b) => Number(executorId(a)) - Number(executorId(b)));
}

function executorSelector({ metadata }: Pod, id: string | undefined): string {
  const application = `${appSelectorLabel}=${metadata?.labels?.[appSelectorLabel] ?? ""}`;
  return `${application},${roleLabel}=executor${id === undefined ? "" : `,${executorIdLabel}=${id}`}`;
}
