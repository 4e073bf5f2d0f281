import { behaviorsOf } from "../../../conf/behaviors.ts";
import { newestLine, traitsOf } from "../../../conf/spark-version.ts";
import type { Host } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import type { DriverEnd, Submitted } from "../../submit-outcome.ts";
import { observer } from "../diagnose/observer.ts";
import type { UploadOwner } from "../stage/uploads/upload-targets.ts";
import { driverChanges } from "../watch/driver-changes.ts";
import { driverContainerOf, driverEnd } from "../watch/driver-end.ts";
import { latestPod, type WatchedPod, withoutResourceVersion } from "../watch/latest-pod.ts";
import type { ArchiveReport } from "./archive-report.ts";
import { startArchive, startOwnArchive } from "./start-archive.ts";

/** A driver, and the target of its bundle. */
export interface ArchivedDriver {
  readonly host: Host;
  readonly client: KubeClient;
  readonly pod: Pod;
  /** Value of the setting. */
  readonly archive: string;
  /** Settings with the credentials of stores. */
  readonly owner: UploadOwner;
  /** Its cluster, for commands in messages. */
  readonly cluster: Pick<Submitted, "master" | "context">;
  /** Ends the wait for the driver. */
  readonly signal: AbortSignal;
  /** `cluster`: this process is the driver's cluster; `client`: it leaves the archive to a cluster that writes it. */
  readonly writer: "client" | "cluster";
  /** Receives the result, as logged by the wait for a driver. */
  readonly onEnd: (result: ArchiveReport) => Promise<void> | void;
}

/** Stores the logs of a driver and its executors until the driver's end, and then writes its bundle. Throws only what `onEnd` throws. */
export async function archiveDriver(call: ArchivedDriver): Promise<void> {
  const { host, client, archive, owner, cluster, writer } = call;
  const { clock, random } = host;
  const done = new AbortController();
  const results: ArchiveReport[] = [];
  const log: Log = (level, _, text) => void results.push({ isArchived: level === "INFO", text });
  const pod = withoutResourceVersion(call.pod);
  const watched: WatchedPod = {
    ...{ client, clock, random, log: () => {}, latest: latestPod(pod), container: driverContainerOf(pod) },
    signal: AbortSignal.any([call.signal, done.signal]),
  };
  const started = (writer === "cluster" ? startOwnArchive : startArchive)({
    ...{ watched, log, cluster, observer: observer(watched) },
    ...{ waitOptions: { archive }, uploader: { host, owner }, interrupted: { signal: call.signal } },
  });
  try {
    await started?.write(await untilEnd(watched).catch(() => ({ kind: "unknown", pod }) as const));
    for (const result of results) await call.onEnd(result);
  } finally {
    done.abort();
    started?.stop();
  }
}

async function untilEnd(watched: WatchedPod): Promise<DriverEnd> {
  const { latest, container } = watched;
  const call = { ...watched, behaviors: behaviorsOf({}), traits: traitsOf(newestLine) };
  for await (const { pod, isDeleted } of driverChanges(call)) {
    latest.set(pod);
    if (isDeleted) return { kind: "deleted", pod };
    const end = driverEnd(pod, container);
    if (end !== undefined) return end;
  }
  return { kind: "unknown", pod: latest.get() };
}
