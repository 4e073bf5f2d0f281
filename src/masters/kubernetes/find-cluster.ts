import { behaviorsOf } from "../../conf/behaviors.ts";
import { SparkConf } from "../../conf/spark-conf.ts";
import { orThrow, throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { CommandLineSettings } from "../../plan/invocation.ts";
import { parseKubernetesMaster } from "../../plan/master.ts";
import type { OpenEmbedded } from "../../resolve/destination.ts";
import { enterEmbedded } from "../../resolve/enter-embedded.ts";
import { type ReadSettings, readSettings } from "../../resolve/read-settings.ts";
import { resolveSparkVersion } from "../../resolve/resolve-spark-version.ts";
import { substitutionSources } from "../../resolve/substitution-sources.ts";
import type { Reached } from "./connection-options.ts";
import { specifiedOrDefaultMaster } from "./specified-master.ts";

/** Which cluster somebody means who submits nothing, as a command line tells it. */
export interface ClusterChoice {
  readonly host: Host;
  readonly given: CommandLineSettings;
  /** Opens the cluster that `k8s://embedded` means. @default there is none */
  readonly openEmbedded?: OpenEmbedded | undefined;
  /** The version of the Spark on this machine. @default none is here */
  readonly localSpark?: (() => string | undefined) | undefined;
}

/**
 * How the cluster is reached that options, settings and environment name; else that of the kubeconfig.
 *
 * @throws SUBMIT_ERR_PROPERTIES_…, SUBMIT_ERR_MASTER_PREFIX, SUBMIT_ERR_MASTER_SCHEME, and what opening the embedded one throws
 */
export async function findCluster(choice: ClusterChoice): Promise<Reached> {
  const { host, given } = choice;
  const read = readSettings(host, given);
  throwIssues(read.issues);
  const master = await specifiedOrDefaultMaster(host, { given, settings: read.settings, env: host.env });
  return enterCluster({ ...choice, read, master });
}

/**
 * The same, where settings and master are known.
 *
 * @throws SUBMIT_ERR_MASTER_PREFIX, SUBMIT_ERR_MASTER_SCHEME, and what opening the embedded one throws
 */
export async function enterCluster(
  choice: ClusterChoice & { readonly read: ReadSettings; readonly master: string },
): Promise<Reached> {
  const { host, read, openEmbedded, localSpark = () => undefined } = choice;
  const behaviors = behaviorsOf(host.env);
  const master = orThrow(parseKubernetesMaster(choice.master, behaviors));
  const sources = { settings: read.settings, env: host.env, localSpark };
  const version = orThrow(resolveSparkVersion(sources));
  const entered = await enterEmbedded({ host, master, read, version, openEmbedded });
  const conf = new SparkConf(entered.settings.values(), entered.version, substitutionSources(host));
  return { apiServer: entered.master.apiServer, access: entered.access, conf, behaviors };
}
