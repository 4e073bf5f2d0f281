import { appKillPodDeletionGracePeriod } from "../../../conf/entries/watching.ts";
import { traitsOf } from "../../../conf/spark-version.ts";
import { issuesOf } from "../../../errors/issue.ts";
import { orThrow, throwIssues } from "../../../errors/submit-error.ts";
import { sparkLog } from "../../../host/log.ts";
import type { ResolvedOperation } from "../../../resolve/resolve-operation.ts";
import { warnDeprecatedKeys } from "../../../resolve/warn-deprecated-keys.ts";
import { parseSubmissionId } from "../../../values/identity.ts";
import type { OperationOutcome, SubmitContext } from "../../master-strategy.ts";
import { connectionEntries, connectionOptions, connectOverNetwork } from "../connect/connection-options.ts";
import { enterCluster } from "../connect/find-cluster.ts";
import { printPodState } from "../watch/print-pod-state.ts";
import { findDrivers, printNotFound, selectDrivers } from "./driver-selection.ts";
import { killDrivers } from "./kill.ts";

/**
 * Deletes drivers on Kubernetes or prints their status, with Spark's text on stderr.
 *
 * Source: Spark K8SSparkSubmitOperation, KillApplication, ListStatus; recorded with Spark 3.5.9 to 4.3.0.
 *
 * @throws SUBMIT_ERR_SUBMISSION_ID_…, SUBMIT_ERR_NAMESPACE_UNKNOWN, SUBMIT_ERR_SETTING_…, SUBMIT_ERR_KUBE_…
 */
export async function operateOnKubernetes(
  operation: ResolvedOperation,
  { openEmbedded, openClient = connectOverNetwork }: SubmitContext,
): Promise<OperationOutcome> {
  const { host, invocation, master, read, localSpark, behaviors } = operation;
  const cluster = await enterCluster({ host, read, master, localSpark, openEmbedded });
  const { conf } = cluster;
  warnDeprecatedKeys(read, conf.version.line, sparkLog(host));
  const { action, submissionId } = invocation;
  const id = parseSubmissionId(submissionId);
  throwIssues([
    ...(action === "kill" ? conf.check([appKillPodDeletionGracePeriod]) : []),
    // Spark reads these only after it has printed the request line.
    ...(behaviors.settingChecks === "spark" ? [] : [...conf.check(connectionEntries), ...issuesOf(id)]),
  ]);
  const graceSeconds = action === "kill" ? conf.get(appKillPodDeletionGracePeriod) : undefined;
  const target = `${submissionId} in ${master}.`;
  if (action === "kill") {
    // As in Spark, only a missing grace period has a full stop.
    const grace = graceSeconds === undefined ? "not set." : String(graceSeconds);
    host.stderr.write(`Submitting a request to kill submission ${target} Grace period in secs: ${grace}\n`);
  } else if (!invocation.json) host.stderr.write(`Submitting a request for the status of submission ${target}\n`);
  const client = await openClient(host, connectionOptions(cluster, sparkLog(host, "WARN")));
  try {
    const selection = selectDrivers(orThrow(id), { client, conf, behaviors, action });
    if (action === "kill") {
      const traits = traitsOf(conf.version.line);
      const isFound = await killDrivers({ host, conf, client, selection, behaviors, traits, graceSeconds });
      return { isFound, behaviors };
    }
    const pods = await findDrivers(client, selection);
    if (pods.length === 0) host.stderr.write(printNotFound(selection, behaviors));
    if (invocation.json) {
      const { printDriversJson } = await import("./drivers-json.ts");
      host.stdout.write(printDriversJson(pods));
    } else host.stderr.write(pods.map((pod) => `Application status (driver): ${printPodState(pod)}\n`).join(""));
    return { isFound: pods.length > 0, behaviors };
  } finally {
    client.close();
  }
}
