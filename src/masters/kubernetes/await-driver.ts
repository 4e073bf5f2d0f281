import { waitAppCompletion } from "../../conf/entries/watching.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import type { KubeResource, Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import type { SubmitRequest } from "../../plan/submit-request.ts";
import type { Interruption } from "../interruption.ts";
import type { KubernetesOutcome, Submitted } from "../submit-outcome.ts";
import { waitOptions } from "../wait-options.ts";
import { printMaster } from "./connect/connection-options.ts";

/** A driver that was just created, and the dependencies of waiting for it. */
export interface CreatedDriver {
  readonly host: Host;
  readonly client: KubeClient;
  readonly log: Log;
  readonly interrupted: Interruption;
  readonly driver: DriverConf;
  readonly pod: Pod;
  /** Name of the driver's container. */
  readonly container: string;
  readonly request: SubmitRequest;
  /** Whether it ended before it had all its files. Such an end is reported even if the settings say not to wait. */
  readonly hasEnded: boolean;
  readonly verbose: boolean;
  /** All created objects except the pod. */
  readonly resources: readonly KubeResource[];
}

/**
 * Waits for a created driver if the settings say so, and returns its outcome.
 *
 * @throws what `monitorDriver` throws
 */
export async function awaitDriver(created: CreatedDriver): Promise<KubernetesOutcome> {
  const { driver, log, host, client, interrupted, pod, container, request, resources, hasEnded } = created;
  const { appName, appId, namespace, podName, conf, traits } = driver;
  const submitted = submittedBy(created);
  if (!conf.get(waitAppCompletion) && !hasEnded) {
    const text = `Deployed Spark application ${appName} with application ID ${appId} and submission ID ${namespace}:${podName} into Kubernetes`;
    log("INFO", "Client", text);
    return { ...submitted, end: { kind: "notAwaited" } };
  }
  const { monitorDriver } = await import("./monitor/monitor-driver.ts");
  const { end, diagnosis } = await monitorDriver({
    ...{ host, client, log, interrupted, pod, container, traits, resources },
    app: { name: appName, id: appId },
    behaviors: request.behaviors,
    uploader: { host, owner: driver },
    waitOptions: waitOptions(conf),
    verbose: created.verbose,
  });
  return { ...submitted, end, diagnosis };
}

/** Returns the identity of a submission. */
export function submittedBy({ driver, request }: Pick<CreatedDriver, "driver" | "request">): Submitted {
  const { appName, appId, namespace, podName } = driver;
  return { master: printMaster(request), appName, appId, namespace, podName, behaviors: request.behaviors };
}
