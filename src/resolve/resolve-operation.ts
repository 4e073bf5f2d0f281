import { type Behaviors, behaviorsOf } from "../conf/behaviors.ts";
import { SparkConf } from "../conf/spark-conf.ts";
import { traitsOf } from "../conf/spark-version.ts";
import { orThrow, submitError, throwIssues } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { sparkLog } from "../host/log.ts";
import { managerOf, type StrategyName, strategyFor } from "../plan/cluster-manager.ts";
import type { KillInvocation, StatusInvocation } from "../plan/invocation.ts";
import { nearestMaster } from "../plan/nearest-master.ts";
import { fieldNames } from "../plan/submit-fields.ts";
import { type ReadSettings, readSettings } from "./read-settings.ts";
import { type FieldInputs, resolveField } from "./resolve-field.ts";
import { resolveSparkVersion } from "./resolve-spark-version.ts";
import { specifiedMaster, specifiedOrDefaultMaster } from "./specified-master.ts";
import { substitutionSources } from "./substitution-sources.ts";
import { warnDeprecatedKeys } from "./warn-deprecated-keys.ts";

/** Inputs of a `--kill` or `--status`. */
export interface OperationInput {
  readonly host: Host;
  readonly invocation: KillInvocation | StatusInvocation;
  /** Returns the version of the Spark on this machine. @default there is none */
  readonly localSpark?: (() => string | undefined) | undefined;
  /** Whether the kubeconfig's cluster is the default master. @default false */
  readonly usesKubeconfig?: boolean | undefined;
}

/** A `--kill` or `--status` with its settings, its master and its strategy. */
export interface ResolvedOperation {
  readonly host: Host;
  readonly invocation: KillInvocation | StatusInvocation;
  /** Master URL as specified, e.g. `spark://10.0.0.1:6066`. */
  readonly master: string;
  readonly strategy: StrategyName;
  readonly read: ReadSettings;
  readonly localSpark: () => string | undefined;
  readonly behaviors: Behaviors;
}

/**
 * Reads the settings of an operation, prints what Spark's front end prints about them, and chooses the strategy.
 *
 * @throws SUBMIT_ERR_PROPERTIES_…, SUBMIT_ERR_SPARK_VERSION, SUBMIT_ERR_MASTER_MISSING,
 *   SUBMIT_ERR_NO_OPERATIONS for an unknown master
 */
export async function resolveOperation({
  host,
  invocation,
  localSpark = () => undefined,
  usesKubeconfig = false,
}: OperationInput): Promise<ResolvedOperation> {
  const behaviors = behaviorsOf(host.env);
  const read = readSettings(host, invocation);
  throwIssues(read.issues);
  const inputs = { commandLine: invocation, settings: read.settings, env: host.env };
  if (invocation.verbose) await printVerboseOutput({ host, invocation, localSpark }, { read, inputs });
  for (const key of read.ignored) host.stderr.write(`Warning: Ignoring non-Spark config property: ${key}\n`);
  const specified = usesKubeconfig ? await specifiedOrDefaultMaster(host, inputs) : specifiedMaster(inputs);
  const master = specified ?? "local[*]";
  const strategy = operationStrategy(master, inputs);
  return { host, invocation, master, strategy, read, localSpark, behaviors };
}

/** Returns the strategy of an operation. Source: Spark SparkSubmit.getSubmitOperations. @throws SUBMIT_ERR_NO_OPERATIONS */
function operationStrategy(master: string, { settings, env }: FieldInputs): StrategyName {
  const { line } = orThrow(resolveSparkVersion({ settings, env, localSpark: () => undefined }));
  const manager = managerOf(master, traitsOf(line));
  if (!manager.ok) throw submitError("SUBMIT_ERR_NO_OPERATIONS", { master, nearest: nearestMaster(master) });
  return strategyFor(manager.value, "cluster");
}

/**
 * Builds the configuration of an operation, and warns about deprecated keys.
 *
 * @throws SUBMIT_ERR_SPARK_VERSION
 */
export function operationConf({ host, read, localSpark }: ResolvedOperation): SparkConf {
  const { settings } = read;
  const version = orThrow(resolveSparkVersion({ settings, env: host.env, localSpark }));
  warnDeprecatedKeys(read, version.line, sparkLog(host));
  return new SparkConf(settings.values(), version, substitutionSources(host));
}

/** Prints the blocks of `--verbose`, which Spark's front end prints first. */
async function printVerboseOutput(
  { host, invocation, localSpark }: Pick<ResolvedOperation, "host" | "invocation" | "localSpark">,
  { read, inputs }: { readonly read: ReadSettings; readonly inputs: FieldInputs },
): Promise<void> {
  const { printFiles, printParsedArguments } = await import("./verbose.ts");
  const fields = new Map(
    fieldNames().flatMap((name) => {
      const field = resolveField(name, inputs);
      return field === undefined ? [] : [[name, field] as const];
    }),
  );
  const { line } = orThrow(resolveSparkVersion({ settings: inputs.settings, env: inputs.env, localSpark }));
  const verbose = {
    ...{ invocation, read, fields, resource: undefined },
    ...{ traits: traitsOf(line), behaviors: behaviorsOf(host.env) },
  };
  host.stderr.write(printFiles(verbose));
  host.stderr.write(printParsedArguments(verbose));
}
