import { resolve } from "node:path";
import { shuffleServiceFileEntries } from "../../../conf/entries/shuffle-service.ts";
import type { Host } from "../../../host/host.ts";
import { overrideHost } from "../../../host/override-host.ts";
import type { ClusterPaths, ClusterShuffle } from "../../cluster-record.ts";
import { readServiceProperties, type ServiceOption } from "../shuffle-service/service-properties.ts";
import { serviceSettings } from "../shuffle-service/service-settings.ts";

/** The shuffle service of a cluster on this machine. */
interface ClusterShuffleService {
  readonly record: ClusterShuffle;
  readonly stop: () => Promise<void>;
}

/** Inputs of the shuffle service of a cluster. */
interface ShuffleInput {
  readonly paths: ClusterPaths;
  /** URL of the API server. Its address is also that of the node, and of pods on its network. */
  readonly url: string;
  /** @default Spark's port */
  readonly port: string | undefined;
  /** File with Spark properties. @default clients need not authenticate: only this machine reaches the address */
  readonly propertiesFile: string | undefined;
}

/**
 * Starts the shuffle service of a cluster at the address of its node, with the cleaner.
 *
 * @throws SubmitError with the problems of the properties file; `SUBMIT_ERR_SHUFFLE_START`
 */
export async function startClusterShuffleService(
  host: Host,
  { paths, url, port, propertiesFile }: ShuffleInput,
): Promise<ClusterShuffleService> {
  const directory = paths.shuffle;
  host.files.makeDirectory(directory, { mode: 0o755 });
  // Like /tmp: containers have other users.
  host.files.changeMode(directory, 0o1777);
  const options: Partial<Record<ServiceOption, string>> = {
    ...{ host: new URL(url).hostname, directories: directory },
    ...{ "state-dir": resolve(paths.directory, "shuffle-state"), clean: "kubernetes", "api-server": url },
    ...(port === undefined ? {} : { port }),
  };
  const { properties, issues } = readServiceProperties(host, propertiesFile);
  const withoutFile = new Map([[shuffleServiceFileEntries.authenticate.key, "false"]]);
  const settings = serviceSettings(
    { flag: (option) => options[option], properties: propertiesFile === undefined ? withoutFile : properties },
    { cwd: host.cwd, problems: issues },
  );
  const { openShuffleService } = await import("../../../shuffle-service/index.ts");
  const own = overrideHost(host, { env: { ...host.env, KUBECONFIG: paths.kubeconfig } });
  const service = await openShuffleService(own, settings);
  return { record: { port: service.port, directory }, stop: service.stop };
}
