import { type Behaviors, behaviorsOf } from "../../../conf/behaviors.ts";
import { appKillPodDeletionGracePeriod } from "../../../conf/entries/watching.ts";
import { SparkConf } from "../../../conf/spark-conf.ts";
import { traitsOf } from "../../../conf/spark-version.ts";
import { issuesOf } from "../../../errors/issue.ts";
import { orThrow, submitError, throwIssues } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { sparkLog } from "../../../host/log.ts";
import type { KillInvocation, StatusInvocation } from "../../../plan/invocation.ts";
import { fieldNames } from "../../../plan/submit-fields.ts";
import type { OpenEmbedded } from "../../../resolve/destination.ts";
import { type ReadSettings, readSettings } from "../../../resolve/read-settings.ts";
import { type FieldInputs, resolveField } from "../../../resolve/resolve-field.ts";
import { resolveSparkVersion } from "../../../resolve/resolve-spark-version.ts";
import { substitutionSources } from "../../../resolve/substitution-sources.ts";
import { warnDeprecatedKeys } from "../../../resolve/warn-deprecated-keys.ts";
import { parseSubmissionId } from "../../../values/identity.ts";
import { connectOverNetwork, type OpenClient } from "../connect-over-network.ts";
import { connectionEntries, connectionOptions } from "../connection-options.ts";
import { enterCluster } from "../find-cluster.ts";
import { specifiedMaster, specifiedOrDefaultMaster } from "../specified-master.ts";
import { selectDrivers } from "./driver-selection.ts";
import { killDrivers, killRequestLine } from "./kill.ts";
import { placeOfOperation } from "./place-of-operation.ts";
import { statusRequestLine, tellStatus } from "./status.ts";

/** A `--kill` or `--status`, and what it is done with. */
export interface OperationCall {
  readonly host: Host;
  readonly invocation: KillInvocation | StatusInvocation;
  /** @default over the network */
  readonly openClient?: OpenClient | undefined;
  readonly openEmbedded?: OpenEmbedded | undefined;
  readonly localSpark?: (() => string | undefined) | undefined;
  /** Does it where the master is not Kubernetes. @default it is refused */
  readonly elsewhere?: ((operation: ResolvedOperation) => Promise<OperationOutcome>) | undefined;
  /** Where no master is told, the cluster of the kubeconfig is meant. @default false */
  readonly usesKubeconfig?: boolean | undefined;
}

/** A `--kill` or `--status` for a master that is not Kubernetes. */
export interface ResolvedOperation {
  readonly host: Host;
  readonly invocation: KillInvocation | StatusInvocation;
  /** As written, e.g. `spark://10.0.0.1:6066`. */
  readonly master: string;
  readonly place: "rest" | "yarn";
  readonly conf: SparkConf;
  readonly behaviors: Behaviors;
}

/** What came of it. */
export interface OperationOutcome {
  /** Whether there was any driver that was meant. */
  readonly isFound: boolean;
  readonly behaviors: Behaviors;
}

/**
 * Ends drivers on Kubernetes or tells how they are, in Spark's words and on stderr.
 *
 * Source: Spark K8SSparkSubmitOperation; recorded with Spark 3.5.9 to 4.3.0.
 *
 * @throws SUBMIT_ERR_NO_OPERATIONS, SUBMIT_ERR_MASTER_NOT_SERVED, SUBMIT_ERR_SUBMISSION_ID_…, SUBMIT_ERR_NAMESPACE_UNKNOWN,
 *   SUBMIT_ERR_SETTING_…, SUBMIT_ERR_KUBE_…
 */
export async function operate(call: OperationCall): Promise<OperationOutcome> {
  const { host, invocation, openClient = connectOverNetwork } = call;
  const behaviors = behaviorsOf(host.env);
  const read = readSettings(host, invocation);
  throwIssues(read.issues);
  if (invocation.verbose) await printVerboseOutput(call, read);
  for (const key of read.ignored) host.stderr.write(`Warning: Ignoring non-Spark config property: ${key}\n`);
  const sources = { given: invocation, settings: read.settings, env: host.env };
  const master = (await masterOf(call, sources)) ?? "local[*]";
  const place = placeOfOperation(master, sources);
  if (place !== "kubernetes") return operateElsewhere(call, { master, place, read, behaviors });
  const cluster = await enterCluster({ ...call, given: invocation, read, master });
  const { conf } = cluster;
  warnDeprecatedKeys(read.settings, conf.version.line, sparkLog(host));
  const { action, submissionId } = invocation;
  const parsed = parseSubmissionId(submissionId);
  throwIssues([
    ...(action === "kill" ? conf.check([appKillPodDeletionGracePeriod]) : []),
    // Spark reads these only after it has said what it does.
    ...(behaviors.settingChecks === "spark" ? [] : [...conf.check(connectionEntries), ...issuesOf(parsed)]),
  ]);
  const graceSeconds = action === "kill" ? conf.get(appKillPodDeletionGracePeriod) : undefined;
  const line = action === "kill" ? killRequestLine : statusRequestLine;
  const isTold = action === "kill" || !invocation.json;
  if (isTold) host.stderr.write(`${line({ submissionId, master, graceSeconds })}\n`);
  const client = await openClient(host, connectionOptions(cluster, sparkLog(host, "WARN")));
  try {
    const selection = selectDrivers(orThrow(parsed), { client, conf, behaviors, action });
    const operation = { host, conf, client, selection, behaviors, traits: traitsOf(conf.version.line) };
    const isFound =
      action === "kill"
        ? await killDrivers({ ...operation, graceSeconds })
        : await tellStatus({ ...operation, json: invocation.json });
    return { isFound, behaviors };
  } finally {
    client.close();
  }
}

function masterOf({ host, usesKubeconfig }: OperationCall, sources: FieldInputs) {
  return usesKubeconfig === true ? specifiedOrDefaultMaster(host, sources) : specifiedMaster(sources);
}

async function operateElsewhere(
  { host, invocation, elsewhere, localSpark = () => undefined }: OperationCall,
  {
    master,
    place,
    read: { settings },
    behaviors,
  }: Pick<ResolvedOperation, "master" | "place" | "behaviors"> & { readonly read: ReadSettings },
): Promise<OperationOutcome> {
  if (elsewhere === undefined) throw submitError("SUBMIT_ERR_MASTER_NOT_SERVED", { master, mode: "cluster" });
  const version = orThrow(resolveSparkVersion({ settings, env: host.env, localSpark }));
  warnDeprecatedKeys(settings, version.line, sparkLog(host));
  const conf = new SparkConf(settings.values(), version, substitutionSources(host));
  return elsewhere({ host, invocation, master, place, conf, behaviors });
}

/** The blocks of `--verbose`, as Spark's front end prints them before anything else. */
async function printVerboseOutput(
  { host, invocation, localSpark = () => undefined }: OperationCall,
  read: ReadSettings,
): Promise<void> {
  const { printFiles, printParsedArguments } = await import("../../../resolve/verbose.ts");
  const sources = { given: invocation, settings: read.settings, env: host.env };
  const fields = new Map(
    fieldNames().flatMap((name) => {
      const told = resolveField(name, sources);
      return told === undefined ? [] : [[name, told] as const];
    }),
  );
  const { line } = orThrow(resolveSparkVersion({ ...sources, localSpark }));
  const about = { resource: undefined, traits: traitsOf(line), behaviors: behaviorsOf(host.env) };
  const understood = { invocation, read, fields, ...about };
  host.stderr.write(`${printFiles(understood)}${printParsedArguments(understood)}`);
}
