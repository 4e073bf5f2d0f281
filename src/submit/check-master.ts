import type { SparkLineTraits } from "../conf/spark-version.ts";
import { failure, type Result, success } from "../errors/issue.ts";
import { languageOf } from "../plan/app-resource.ts";
import { type ClusterManager, type DeployMode, deployModeOf, managerOf } from "../plan/cluster-manager.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import { type KubernetesMaster, parseKubernetesMaster } from "../plan/master.ts";
import { isShellResource, specialClasses } from "../plan/special-classes.ts";
import type { FieldValues } from "./merge-fields.ts";

/** A submission, as far as the choice of its master goes. */
export interface MasterChoice {
  readonly invocation: SubmitInvocation;
  readonly fields: FieldValues;
  readonly traits: SparkLineTraits;
}

/**
 * The Kubernetes master of a submission in cluster mode; everything else is refused: first what Spark itself refuses,
 * in its words and order, then what is not served here.
 *
 * Source: Spark SparkSubmit.prepareSubmitEnvironment.
 */
export function chooseMaster(choice: MasterChoice): Result<KubernetesMaster> {
  const { fields, invocation, traits } = choice;
  const text = fields.get("master")?.value;
  const manager = managerOf(text, traits);
  if (!manager.ok) return manager;
  const mode = deployModeOf(fields.get("deployMode")?.value);
  if (!mode.ok) return mode;
  const master = manager.value === "kubernetes" ? parseKubernetesMaster(text ?? "") : undefined;
  if (master?.ok === false) return master;
  if (mode.value === "cluster") {
    const rejected = clusterModeRejection(choice, manager.value);
    if (rejected !== undefined) return rejected;
  }
  if (master === undefined || mode.value === "client") return notServed(text ?? "local[*]", mode.value);
  if (invocation.isExample) {
    const className = fields.get("mainClass")?.value ?? "";
    return failure("SUBMIT_ERR_EXAMPLES_NOT_SERVED", { className });
  }
  return success(master.value);
}

function notServed(master: string, mode: DeployMode): Result<never> {
  return failure("SUBMIT_ERR_MASTER_NOT_SERVED", { master, mode });
}

function clusterModeRejection(
  { invocation, fields, traits }: MasterChoice,
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
  if (isShellResource(invocation.resource)) return notApplicable("shells");
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
