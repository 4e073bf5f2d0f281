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

/** A submission, as far as the choice of its master goes. */
export interface MasterChoice {
  readonly invocation: SubmitInvocation;
  readonly fields: FieldValues;
  readonly traits: SparkLineTraits;
  readonly line: SparkLine;
}

/** What a master URL and a deploy mode mean together. */
export interface ChosenMaster {
  /** As written. */
  readonly text: string;
  readonly manager: ClusterManager;
  readonly mode: DeployMode;
  readonly place: StrategyName;
  readonly kubernetes: KubernetesMaster | undefined;
}

/** Reads master and deploy mode. Source: Spark SparkSubmit.prepareSubmitEnvironment. */
export function readMaster({
  fields,
  traits,
  behaviors,
}: Pick<MasterChoice, "fields" | "traits"> & { readonly behaviors: Behaviors }): Result<ChosenMaster> {
  const text = fields.get("master")?.value;
  const manager = managerOf(text, traits);
  const told = fields.get("deployMode");
  const isOption = told?.origin.kind === "option";
  const mode = deployModeOf(told?.value, { isOption });
  if (!manager.ok || !mode.ok) {
    const [first, second] = isOption ? [mode, manager] : [manager, mode];
    return { ok: false, issues: [...issuesOf(first), ...issuesOf(second)] };
  }
  const kubernetes =
    manager.value === "kubernetes" ? parseKubernetesMaster(text ?? "", behaviors) : undefined;
  if (kubernetes?.ok === false) return kubernetes;
  const chosen = { manager: manager.value, mode: mode.value, place: strategyFor(manager.value, mode.value) };
  const shown = text ?? fields.get("remote")?.value ?? "local[*]";
  return success({ ...chosen, text: shown, kubernetes: kubernetes?.value });
}

/** What Spark itself refuses, in its words and order. Source: Spark SparkSubmit.prepareSubmitEnvironment. */
export function acceptMaster(choice: MasterChoice, chosen: ChosenMaster): Result<ChosenMaster> {
  const { manager, mode } = chosen;
  return (mode === "cluster" ? clusterModeRejection(choice, manager) : undefined) ?? success(chosen);
}

function clusterModeRejection(
  { invocation, fields, traits, line }: MasterChoice,
  manager: ClusterManager,
): Result<never> | undefined {
  const language = languageOf(invocation.resource);
  const mainClass = fields.get("mainClass")?.value;
  const refuse = (reason: string) => failure("SUBMIT_ERR_CLUSTER_MODE", { reason });
  const notApplicable = (what: string) => refuse(`Cluster deploy mode is not applicable to Spark ${what}.`);
  if (manager === "standalone" && language !== "java") {
    const name = language === "r" ? "R" : language;
    return refuse(
      `Cluster deploy mode is currently not supported for ${name} applications on standalone clusters.`,
    );
  }
  if (manager === "local") return refuse('Cluster deploy mode is not compatible with master "local"');
  if (isShellResource(invocation.resource, line)) return notApplicable("shells");
  if (mainClass === specialClasses.sqlShell) return notApplicable("SQL shell");
  if (mainClass === specialClasses.thriftServer) return notApplicable("Thrift server");
  if (mainClass === specialClasses.connectServer) {
    if (!traits.connectServerOnYarn) return notApplicable("Connect server");
    if (manager !== "yarn") {
      return refuse("Launching Spark Connect server in cluster deploy mode is supported only for YARN");
    }
  }
  const isStandalone = fields.get("master")?.value.startsWith("spark://") === true;
  if (manager === "standalone" && !isStandalone)
    return failure("SUBMIT_ERR_CLASS_NOT_LOADED", { className: "" });
  return undefined;
}
