import { hasCode } from "../../errors/submit-error.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { ApplicationRecord, GatewayApplication } from "../model/application.ts";
import type { DriverLogs } from "./driver-logs.ts";
import { type LogWindow, logWindow } from "./log-window.ts";
import { reportEnd, reportStart } from "./report.ts";

/** Lines that a record keeps of a log. */
const keptLines = 100;

/** Reads logs from pods, and the last lines of those that no longer exist from their records. */
export function podLogs(client: KubeClient): DriverLogs {
  const read = async ({ record, driver }: GatewayApplication, window: LogWindow) => {
    const isRead = driver !== undefined && (await readPod(client, { ...record, container: driver.container, window }));
    if (!isRead) window.addLines(record.end?.logTail ?? []);
  };
  return {
    async keep(record, pod) {
      const window = logWindow({ last: keptLines });
      const container = pod.spec?.containers[0]?.name ?? "";
      return (await readPod(client, { ...record, container, window })) ? window.page().lines : undefined;
    },
    async read(application, range) {
      const window = logWindow(range);
      await read(application, window);
      return window.page();
    },
    async readReport(application, range) {
      const window = logWindow(range);
      window.addLines([reportStart]);
      await read(application, window);
      window.addLines(reportEnd(application));
      return window.page();
    },
    async readReportTail(application, count) {
      const { record, driver } = application;
      const window = logWindow({ last: count });
      window.addLines([reportStart]);
      const isLogKnown = driver === undefined || record.end?.logTail !== undefined;
      const isRead =
        !isLogKnown && (await readPod(client, { ...record, container: driver.container, window, tailLines: count }));
      if (!isRead) window.addLines(record.end?.logTail ?? []);
      window.addLines(reportEnd(application));
      return window.page().lines;
    },
  };
}

/** A container and the reader of its log. */
interface LogRead extends Pick<ApplicationRecord, "namespace" | "podName"> {
  readonly container: string;
  readonly window: LogWindow;
  /** Number of the last lines to read. @default all */
  readonly tailLines?: number;
}

/** Reads the log of a container. Returns false if there is none: the pod does not exist, or its container has not started. */
async function readPod(
  client: KubeClient,
  { namespace, podName, container, window, tailLines }: LogRead,
): Promise<boolean> {
  const call = { namespace, pod: podName, container, ...(tailLines !== undefined && { tailLines }) };
  try {
    for await (const bytes of client.logs(call)) window.push(bytes);
    return true;
  } catch (error) {
    if (hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND") || hasCode(error, "SUBMIT_ERR_KUBE_REJECTED")) return false;
    throw error;
  }
}
