import { traitsOf } from "../../conf/spark-version.ts";
import { orThrow, submitError } from "../../errors/submit-error.ts";
import { managerOf } from "../../plan/cluster-manager.ts";
import { spokenVersion } from "../resolve/spoken-version.ts";
import type { ToldSources } from "../resolve/told-field.ts";

/**
 * Refuses `--kill` and `--status` for a master that is not Kubernetes: where Spark has no such operation in its words.
 *
 * Source: Spark SparkSubmit.kill, getSubmitOperations.
 *
 * @throws SUBMIT_ERR_NO_OPERATIONS, SUBMIT_ERR_MASTER_NOT_SERVED
 */
export function refuseOtherMasters(master: string, { settings, env }: ToldSources): void {
  const { line } = orThrow(spokenVersion({ settings, env, localSpark: () => undefined }));
  const manager = managerOf(master, traitsOf(line));
  if (manager.ok && manager.value === "kubernetes") return;
  if (/^(spark|mesos):\/\//.test(master)) {
    throw submitError("SUBMIT_ERR_MASTER_NOT_SERVED", { master, mode: "cluster" });
  }
  throw submitError("SUBMIT_ERR_NO_OPERATIONS", { master });
}
