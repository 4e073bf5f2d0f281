import { behaviorsOf } from "../../../conf/behaviors.ts";
import { traitsOf } from "../../../conf/spark-version.ts";
import { orThrow, submitError } from "../../../errors/submit-error.ts";
import { managerOf } from "../../../plan/cluster-manager.ts";
import type { FieldInputs } from "../../../resolve/resolve-field.ts";
import { resolveSparkVersion } from "../../../resolve/resolve-spark-version.ts";

/**
 * Who takes a `--kill` or `--status` for this master; where Spark has no such operation it is refused in its words. For
 * YARN only we have one.
 *
 * Source: Spark SparkSubmit.kill, getSubmitOperations.
 *
 * @throws SUBMIT_ERR_NO_OPERATIONS
 */
export function placeOfOperation(
  master: string,
  { settings, env }: FieldInputs,
): "kubernetes" | "rest" | "yarn" {
  const { line } = orThrow(resolveSparkVersion({ settings, env, localSpark: () => undefined }));
  const traits = traitsOf(line);
  const manager = managerOf(master, traits);
  if (manager.ok && manager.value === "kubernetes") return "kubernetes";
  if (master.startsWith("spark://") || (traits.mesos && master.startsWith("mesos://"))) return "rest";
  if (master === "yarn" && behaviorsOf(env).yarnOperations === "supported") return "yarn";
  throw submitError("SUBMIT_ERR_NO_OPERATIONS", { master });
}
