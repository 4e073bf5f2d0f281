import type { Behaviors } from "../conf/behaviors.ts";
import type { SparkLine, SparkLineTraits } from "../conf/spark-version.ts";
import { failure, issuesOf, type Result, success } from "../errors/issue.ts";
import { languageOf } from "../plan/app-resource.ts";
import {
  type ClusterManager,
  type DeployMode,
  deployModeOf,
  managerOf,
  type StrategyName,
  strategyFor,
} from "../plan/cluster-manager.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import { type KubernetesMaster, parseKubernetesMaster } from "../plan/master.ts";
import { isShellResource, specialClasses } from "../plan/special-classes.ts";
import type { FieldValues } from "./merge-fields.ts";

/** Inputs of the checks of a master and a deploy mode. */
interface MasterChoice {
  readonly invocation: SubmitInvocation;
  readonly fields: FieldValues;
  readonly traits: SparkLineTraits;
  readonly line: SparkLine;
}

/** Cluster manager, deploy mode and strategy of a submission. */
export interface ChosenMaster {
  /** Master URL as specified, e.g. `k8s://https://10.0.0.1:6443`. */
  readonly text: string;
  readonly manager: ClusterManager;
  readonly mode: DeployMode;
  readonly strategy: StrategyName;
  /** Parsed URL of a Kubernetes master, in both deploy modes. */
  readonly kubernetes: KubernetesMaster | undefined;
}

/**
 * Parses master and deploy mode.
 *
 * Errors: SUBMIT_ERR_MASTER_…, SUBMIT_ERR_DEPLOY_MODE…. Source: Spark SparkSubmit.prepareSubmitEnvironment.
 */
export function parseMaster({
  fields,
  traits,
  behaviors,
}: Pick<MasterChoice, "fields" | "traits"> & { readonly behaviors: Behaviors }): Result<ChosenMaster> {
  const text = fields.get("master")?.value;
  const manager = managerOf(text, traits);
  const specified = fields.get("deployMode");
  const isOption = specified?.origin.kind === "option";
  const mode = deployModeOf(specified?.value, { isOption });
  if (!manager.ok || !mode.ok) {
    const [first, second] = isOption ? [mode, manager] : [manager, mode];
    return { ok: false, issues: [...issuesOf(first), ...issuesOf(second)] };
  }
  const kubernetes = manager.value === "kubernetes" ? parseKubernetesMaster(text ?? "", behaviors) : undefined;
  if (kubernetes?.ok === false) return kubernetes;
  return success({
    text: text ?? fields.get("remote")?.value ?? "local[*]",
    manager: manager.value,
    mode: mode.value,
    strategy: strategyFor(manager.value, mode.value),
    kubernetes: kubernetes?.value,
  });
}

/**
 * Checks that Spark supports the application on this master in this deploy mode, in Spark's order.
 *
 * Errors: SUBMIT_ERR_CLUSTER_MODE, SUBMIT_ERR_CLASS_NOT_LOADED. Source: Spark SparkSubmit.prepareSubmitEnvironment.
 */
export function checkMaster(choice: MasterChoice, chosen: ChosenMaster): Result<ChosenMaster> {
  const { manager, mode } = chosen;
  return (mode === "cluster" ? clusterModeRejection(choice, manager) : undefined) ?? success(chosen);
}

function clusterModeRejection(
  { invocation, fields, traits, line }: MasterChoice,
  manager: ClusterManager,
): Result<never> | undefined {
  const language = languageOf(invocation.resource);
  const mainClass = fields.get("mainClass")?.value;
  const reject = (reason: string) => failure("SUBMIT_ERR_CLUSTER_MODE", { reason });
  const notApplicable = (what: string) => reject(`Cluster deploy mode is not applicable to Spark ${what}.`);
  if (manager === "standalone" && language !== "java") {
    const name = language === "r" ? "R" : language;
    return reject(`Cluster deploy mode is currently not supported for ${name} applications on standalone clusters.`);
  }
  if (manager === "local") return reject('Cluster deploy mode is not compatible with master "local"');
  if (isShellResource(invocation.resource, line)) return notApplicable("shells");
  if (mainClass === specialClasses.sqlShell) return notApplicable("SQL shell");
  if (mainClass === specialClasses.thriftServer) return notApplicable("Thrift server");
  if (mainClass === specialClasses.connectServer) {
    if (!traits.connectServerOnYarn) return notApplicable("Connect server");
    if (manager !== "yarn") {
      return reject("Launching Spark Connect server in cluster deploy mode is supported only for YARN");
    }
  }
  const isStandalone = fields.get("master")?.value.startsWith("spark://") === true;
  if (manager === "standalone" && !isStandalone) return failure("SUBMIT_ERR_CLASS_NOT_LOADED", { className: "" });
  return undefined;
}
