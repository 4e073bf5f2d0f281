import { traitsOf } from "../../conf/spark-version.ts";
import { appNameLabelKey, appSelectorLabel } from "../../plan/labels.ts";
import { interruption } from "../interruption.ts";
import type { KubernetesOutcome } from "../submit-outcome.ts";
import { waitEntries, waitOptions } from "../wait-options.ts";
import { printMaster } from "./connect/connection-options.ts";
import { monitorDriver } from "./monitor/monitor-driver.ts";
import { driverContainerOf } from "./watch/driver-end.ts";
import { withoutResourceVersion } from "./watch/latest-pod.ts";
import { type ReachDriverCall, type ReachedDriver, withDriver } from "./with-driver.ts";

/**
 * Waits for an existing driver as the submitting command does, also if the driver has ended.
 *
 * @throws what `withDriver` throws, and `monitorDriver`
 */
export function attach(call: ReachDriverCall): Promise<KubernetesOutcome> {
  const { host } = call;
  return withDriver(call, waitEntries, async (reached) => {
    const interrupted = interruption(host);
    const { cluster, client, log, pod } = reached;
    const { conf, behaviors } = cluster;
    const app = appOf(reached);
    try {
      const { end, diagnosis } = await monitorDriver({
        ...{ host, client, log, interrupted, app, behaviors },
        ...{ traits: traitsOf(conf.version.line), waitOptions: waitOptions(conf) },
        uploader: { host, owner: { conf } },
        pod: withoutResourceVersion(pod),
        container: driverContainerOf(pod),
        verbose: call.commandLine.verbose,
      });
      return {
        ...{ master: printMaster(cluster), appName: app.name, appId: app.id },
        ...{ namespace: pod.metadata?.namespace ?? "", podName: pod.metadata?.name ?? "" },
        ...{ behaviors, end, diagnosis },
      };
    } finally {
      interrupted.stop();
    }
  });
}

function appOf({ pod }: ReachedDriver): { readonly name: string; readonly id: string } {
  const { name = "", labels = {} } = pod.metadata ?? {};
  return { name: labels[appNameLabelKey] ?? name, id: labels[appSelectorLabel] ?? "" };
}
