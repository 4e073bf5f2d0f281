import type { Host } from "../../host/host.ts";
import { nodeDirectoryTrees } from "../../host/node-directory-trees.ts";
import { connectServer } from "../../kube-client/connect-server.ts";
import type { ServiceScope } from "../server/scope.ts";
import type { CleanerSettings } from "./cleaner-settings.ts";
import { type Cleaner, startCleaner } from "./start-cleaner.ts";

/** Connects to the cluster and starts the cleaner. @throws the errors of `connectServer` */
export async function openCleaner(
  host: Host,
  scope: ServiceScope,
  { settings, directories }: { readonly settings: CleanerSettings; readonly directories: readonly string[] },
): Promise<Cleaner> {
  const { server, settingPrefix } = settings;
  const client = await connectServer(host, { server, credentials: { settingPrefix }, log: scope.log });
  const { registrations, registrationLog, log, limitedLog, counters } = scope;
  const cleaner = startCleaner({
    ...{ client, clock: host.clock, host, trees: nodeDirectoryTrees(), options: settings },
    ...{ registrations, registrationLog, log, limitedLog },
    roots: directories.map((directory) => host.files.realPath(directory) ?? directory),
    onRemoved(reason, { bytes, isComplete }) {
      const count = (counters.removedApplications.get(reason) ?? 0) + (isComplete ? 1 : 0);
      counters.removedApplications.set(reason, count);
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
