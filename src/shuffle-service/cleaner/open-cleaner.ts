import type { Host } from "../../host/host.ts";
import { nodeDirectoryTrees } from "../../host/node-directory-trees.ts";
import { kubectlBehaviors } from "../../kube-client/auth/access-behaviors.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { connect } from "../../kube-client/connect.ts";
import type { ServiceScope } from "../server/scope.ts";
import type { CleanerSettings } from "./cleaner-settings.ts";
import { type Cleaner, startCleaner } from "./start-cleaner.ts";

const requestTimeoutMs = 10_000;

/** Connects to the cluster and starts the cleaner. @throws the errors of `connect` */
export async function openCleaner(
  host: Host,
  scope: ServiceScope,
  { settings, directories }: { readonly settings: CleanerSettings; readonly directories: readonly string[] },
): Promise<Cleaner> {
  const client = await connectTo(host, settings, scope);
  const { registrations, registrationLog, log, limitedLog, counters } = scope;
  const cleaner = startCleaner({
    ...{ client, clock: host.clock, host, trees: nodeDirectoryTrees(), options: settings },
    ...{ registrations, registrationLog, log, limitedLog },
    roots: directories.map((directory) => host.files.realPath(directory) ?? directory),
    onRemoved(reason, bytes) {
      counters.removedApplications.set(reason, (counters.removedApplications.get(reason) ?? 0) + 1);
      counters.removedBytes += bytes;
    },
  });
  return {
    ...cleaner,
    async stop() {
      await cleaner.stop();
      client.close();
    },
  };
}

async function connectTo(
  host: Host,
  { server, settingPrefix }: CleanerSettings,
  { log }: ServiceScope,
): Promise<KubeClient> {
  const client = await connect(host, {
    server,
    log: (level, logger, text) => {
      if (level !== "INFO") log(level, text, { logger });
    },
    ...{ requestTimeoutMs, connectionTimeoutMs: requestTimeoutMs },
    access: {
      ...{ settingPrefix, kind: "user", trustCertificates: false, behaviors: kubectlBehaviors },
      traits: {
        mergesKubeconfigs: true,
        unknownContextFallsBack: false,
        kubeconfigMayTrustAll: true,
        failingExecPluginStops: true,
      },
    },
  });
  // The cleaner tries again.
  return client.withoutRetries();
}
