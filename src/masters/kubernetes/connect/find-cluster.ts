import { behaviorsOf } from "../../../conf/behaviors.ts";
import { SparkConf } from "../../../conf/spark-conf.ts";
import { orThrow, throwIssues } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import type { CommandLineSettings } from "../../../plan/invocation.ts";
import { parseKubernetesMaster } from "../../../plan/master.ts";
import { enterEmbedded } from "../../../resolve/enter-embedded.ts";
import { type ReadSettings, readSettings } from "../../../resolve/read-settings.ts";
import { resolveSparkVersion } from "../../../resolve/resolve-spark-version.ts";
import { specifiedOrDefaultMaster } from "../../../resolve/specified-master.ts";
import { substitutionSources } from "../../../resolve/substitution-sources.ts";
import type { SubmitContext } from "../../master-strategy.ts";
import type { ClusterConnection } from "./connection-options.ts";

interface ClusterInput extends Pick<SubmitContext, "openEmbedded"> {
  readonly host: Host;
  /** Returns the version of the Spark on this machine. @default there is none */
  readonly localSpark?: (() => string | undefined) | undefined;
}

/**
 * Returns the cluster that options, settings and environment specify, or by default that of the kubeconfig.
 *
 * @throws SUBMIT_ERR_PROPERTIES_…, SUBMIT_ERR_MASTER_PREFIX, SUBMIT_ERR_MASTER_SCHEME, and what opening the embedded
 *   cluster throws
 */
export async function findCluster(
  input: ClusterInput & { readonly commandLine: CommandLineSettings },
): Promise<ClusterConnection> {
  const { host, commandLine } = input;
  const read = readSettings(host, commandLine);
  throwIssues(read.issues);
  const { settings } = read;
  const master = await specifiedOrDefaultMaster(host, { commandLine, settings, env: host.env });
  return enterCluster({ ...input, read, master });
}

/**
 * Returns the cluster of a master, after opening it if it is the embedded one.
 *
 * @throws SUBMIT_ERR_MASTER_PREFIX, SUBMIT_ERR_MASTER_SCHEME, and what opening the embedded cluster throws
 */
export async function enterCluster(
  input: ClusterInput & { readonly read: ReadSettings; readonly master: string },
): Promise<ClusterConnection> {
  const { host, read, openEmbedded, localSpark = () => undefined } = input;
  const behaviors = behaviorsOf(host.env);
  const master = orThrow(parseKubernetesMaster(input.master, behaviors));
  const version = orThrow(resolveSparkVersion({ settings: read.settings, env: host.env, localSpark }));
  const entered = await enterEmbedded({ host, master, read, version, openEmbedded });
  const conf = new SparkConf(entered.settings.values(), entered.version, substitutionSources(host));
  return { apiServer: entered.master.apiServer, access: entered.access, conf, behaviors };
}
