import { hasCode } from "../../errors/submit-error.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { ApplicationRecord, GatewayApplication } from "../applications/application.ts";
import type { DriverLogs } from "./driver-logs.ts";
import { type LogWindow, logWindow } from "./log-window.ts";

/** Lines that a record keeps of a log. */
const tailLines = 100;

/** Reads logs from pods, and the last lines of those that no longer exist from their records. */
export function podLogs(client: KubeClient): DriverLogs {
  const read = async ({ record, driver }: GatewayApplication, window: LogWindow) => {
    const isRead = driver !== undefined && (await readPod(client, record, driver.container, window));
    if (!isRead) window.addLines(record.end?.logTail ?? []);
  };
  return {
    async keep(record, pod) {
      const window = logWindow({ last: tailLines });
      const container = pod.spec?.containers[0]?.name ?? "";
      return (await readPod(client, record, container, window)) ? window.page().lines : undefined;
    },
    async read(application, range) {
      const window = logWindow(range);
      await read(application, window);
      return window.page();
    },
    async readReport(application, range) {
      const window = logWindow(range);
      window.addLines(["stdout: "]);
      await read(application, window);
      const { end } = application.record;
      if (end === undefined) return window.page();
      window.addLines(["\nstderr: ", ...application.submissionLog]);
      window.addLines(["\nKubernetes Diagnostics: ", ...(end.message?.split("\n") ?? [])]);
      return window.page();
    },
  };
}

/** Reads the log of a container. Returns false if there is none: the pod does not exist, or its container has not started. */
async function readPod(
  client: KubeClient,
  { namespace, podName }: Pick<ApplicationRecord, "namespace" | "podName">,
  container: string,
  window: LogWindow,
): Promise<boolean> {
  try {
    for await (const bytes of client.logs({ namespace, pod: podName, container })) window.push(bytes);
    return true;
  } catch (error) {
    if (hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND") || hasCode(error, "SUBMIT_ERR_KUBE_REJECTED")) return false;
    throw error;
  }
}
