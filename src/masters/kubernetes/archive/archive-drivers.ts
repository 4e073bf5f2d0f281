import { SparkConf } from "../../../conf/spark-conf.ts";
import { newestLine, newestRelease } from "../../../conf/spark-version.ts";
import { messageOf } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { roleLabel } from "../../../plan/labels.ts";
import type { Submitted } from "../../submit-outcome.ts";
import { driverProperties } from "../diagnose/driver-properties.ts";
import { startInformer } from "../diagnose/informer.ts";
import { archiveDriver } from "./archive-driver.ts";
import { isReported, reportArchive } from "./archive-report.ts";
import { archiveRequestOf } from "./archive-request.ts";

interface ArchivingCluster {
  readonly host: Host;
  readonly client: KubeClient;
  /** Secret with which its user signs requests. */
  readonly key: string;
  readonly cluster: Pick<Submitted, "master" | "context">;
  /** Receives failures that cannot be reported in the cluster. */
  readonly log: Log;
}

interface ArchiveRequest {
  readonly pod: Pod;
  readonly archive: string;
  readonly signal: AbortSignal;
}

/**
 * Archives each driver of all namespaces whose user requests it. The result is an event about the driver.
 *
 * @returns a function that stops following drivers
 */
export function archiveDrivers(call: ArchivingCluster): () => Promise<void> {
  const { host, client, key } = call;
  const stopped = new AbortController();
  const { signal } = stopped;
  /** By UID of the driver's pod. */
  const running = new Map<string, Promise<void>>();
  const informer = startInformer<Pod>({
    ...{ client: client.withoutRetries(), clock: host.clock, random: host.random, type: resourceTypes.pod },
    ...{ labelSelector: `${roleLabel}=driver`, signal, onDenied() {} },
    // Most drivers are not archived. Thousands of complete pods would take much memory.
    transform: (pod) => (archiveRequestOf(pod, key) === undefined ? withoutSpec(pod) : pod),
  });
  informer.onChange(({ object: pod, isDeleted }) => {
    const { uid = "" } = pod.metadata ?? {};
    const archive = archiveRequestOf(pod, key);
    if (archive === undefined || isDeleted || isReported(pod) || running.has(uid)) return;
    const archiving = archiveOne(call, { pod, archive, signal })
      .catch((error: unknown) => call.log("WARN", "Archive", messageOf(error)))
      .finally(() => running.delete(uid));
    running.set(uid, archiving);
  });
  return async () => {
    stopped.abort();
    await Promise.all(running.values());
  };
}

function withoutSpec({ metadata: { uid = "", name = "", resourceVersion = "" } = {} }: Pod): Pod {
  return { metadata: { uid, name, resourceVersion } };
}

async function archiveOne(call: ArchivingCluster, { pod, archive, signal }: ArchiveRequest): Promise<void> {
  const { host, client, cluster } = call;
  const properties = await driverProperties(client, undefined)(pod);
  const settings = Object.entries(properties).map(
    ([key, value]) => ({ key, value, origin: { kind: "conf" } }) as const,
  );
  const version = { line: newestLine, text: newestRelease(newestLine).text };
  const conf = new SparkConf(settings, version, { env: {}, defaults: () => undefined });
  await archiveDriver({
    ...{ host, client, pod, archive, signal, cluster, owner: { conf }, writer: "cluster" },
    async onEnd(result) {
      if (!signal.aborted) await reportArchive({ client, host }, pod, result);
    },
  });
}
