import { firesteelArchive } from "../conf/entries/firesteel.ts";
import { messageOf } from "../errors/message-of.ts";
import type { Host } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import type { Pod } from "../kube/types.ts";
import { printCluster } from "../masters/kubernetes/connect/connection-options.ts";
import { findCluster } from "../masters/kubernetes/connect/find-cluster.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import type { Cluster } from "./clusters.ts";

interface ArchiveCall {
  readonly host: Host;
  readonly log: Log;
  readonly cluster: Cluster;
  /** Settings of the submission. */
  readonly commandLine: CommandLineSettings;
}

/** Archives the application of a driver after its end if the settings say so. Logs the result. Does not throw. */
export async function archiveAsConfigured(call: ArchiveCall, pod: Pod, signal: AbortSignal): Promise<void> {
  const { host, log, cluster, commandLine } = call;
  if (!canHaveArchive(commandLine)) return;
  try {
    const connection = await findCluster({ host, commandLine });
    const { conf } = connection;
    const archive = conf.get(firesteelArchive);
    if (archive === undefined) return;
    const { archiveDriver } = await import("../masters/kubernetes/archive/archive-driver.ts");
    await archiveDriver({
      ...{ host, client: cluster.client, pod, archive, signal, owner: { conf }, writer: "client" },
      cluster: printCluster(connection),
      onEnd({ isArchived, text }) {
        if (!signal.aborted) log(isArchived ? "INFO" : "WARN", "Archive", text);
      },
    });
  } catch (error) {
    log("WARN", "Archive", `Cannot archive the application: ${messageOf(error)}`);
  }
}

/** Whether the setting can be set: most applications have none, and their settings are not read again. */
function canHaveArchive({
  settings,
  propertiesFile,
  extraPropertiesFiles,
  loadsDefaults,
}: CommandLineSettings): boolean {
  const hasFile = propertiesFile !== undefined || extraPropertiesFiles.length > 0 || loadsDefaults;
  return hasFile || settings.some(({ key }) => key === firesteelArchive.key);
}
