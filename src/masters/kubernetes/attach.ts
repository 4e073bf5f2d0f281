import { traitsOf } from "../../conf/spark-version.ts";
import { appNameLabelKey, appSelectorLabel } from "../../plan/labels.ts";
import { interruption } from "../interruption.ts";
import type { KubernetesOutcome } from "../submit-outcome.ts";
import { waitEntries, waitOptions } from "../wait-options.ts";
import { printCluster } from "./connect/connection-options.ts";
import { monitorDriver } from "./monitor/monitor-driver.ts";
import { driverContainerOf } from "./watch/driver-end.ts";
import { withoutResourceVersion } from "./watch/latest-pod.ts";
import { type ReachDriverCall, withDriver } from "./with-driver.ts";

/**
 * Waits for an existing driver as the submitting command does, also if the driver has ended.
 *
 * @throws what `withDriver` throws, and `monitorDriver`
 */
export function attach(call: ReachDriverCall): Promise<KubernetesOutcome> {
  const { host } = call;
  return withDriver(call, waitEntries, async ({ cluster, client, log, pod }) => {
    const interrupted = interruption(host);
    const { conf, behaviors } = cluster;
    const { namespace = "", name: podName = "", labels = {} } = pod.metadata ?? {};
    const app = { name: labels[appNameLabelKey] ?? podName, id: labels[appSelectorLabel] ?? "" };
    try {
      const result = await monitorDriver({
        ...{ host, client, log, interrupted, app, behaviors },
        ...{ traits: traitsOf(conf.version.line), waitOptions: waitOptions(conf) },
        uploader: { host, owner: { conf } },
        pod: withoutResourceVersion(pod),
        container: driverContainerOf(pod),
        verbose: call.commandLine.verbose,
        cluster: printCluster(cluster),
      });
      const submitted = {
        ...printCluster(cluster),
        appName: app.name,
        appId: app.id,
        namespace,
        podName,
        behaviors,
      };
      return { ...submitted, ...result };
    } finally {
      interrupted.stop();
    }
  });
}
