import { appKillPodDeletionGracePeriod } from "../../../conf/entries/watching.ts";
import { traitsOf } from "../../../conf/spark-version.ts";
import { issuesOf } from "../../../errors/issue.ts";
import { orThrow, throwIssues } from "../../../errors/submit-error.ts";
import { sparkLog } from "../../../host/log.ts";
import type { ResolvedOperation } from "../../../resolve/resolve-operation.ts";
import { warnDeprecatedKeys } from "../../../resolve/warn-deprecated-keys.ts";
import { parseSubmissionId } from "../../../values/identity.ts";
import type { OperationOutcome, SubmitContext } from "../../master-strategy.ts";
import { connectOverNetwork } from "../connect/connect-over-network.ts";
import { connectionEntries, connectionOptions } from "../connect/connection-options.ts";
import { enterCluster } from "../connect/find-cluster.ts";
import { selectDrivers } from "./driver-selection.ts";
import { killDrivers, killRequestLine } from "./kill.ts";
import { printStatus, statusRequestLine } from "./status.ts";

/**
 * Deletes drivers on Kubernetes or prints their status, with Spark's text on stderr.
 *
 * Source: Spark K8SSparkSubmitOperation; recorded with Spark 3.5.9 to 4.3.0.
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
  warnDeprecatedKeys(read.settings, conf.version.line, sparkLog(host));
  const { action, submissionId } = invocation;
  const id = parseSubmissionId(submissionId);
  throwIssues([
    ...(action === "kill" ? conf.check([appKillPodDeletionGracePeriod]) : []),
    // Spark reads these only after it has printed the request line.
    ...(behaviors.settingChecks === "spark" ? [] : [...conf.check(connectionEntries), ...issuesOf(id)]),
  ]);
  const graceSeconds = action === "kill" ? conf.get(appKillPodDeletionGracePeriod) : undefined;
  const requestLine = action === "kill" ? killRequestLine : statusRequestLine;
  if (action === "kill" || !invocation.json)
    host.stderr.write(`${requestLine({ submissionId, master, graceSeconds })}\n`);
  const client = await openClient(host, connectionOptions(cluster, sparkLog(host, "WARN")));
  try {
    const selection = selectDrivers(orThrow(id), { client, conf, behaviors, action });
    const call = { host, conf, client, selection, behaviors, traits: traitsOf(conf.version.line) };
    const isFound =
      action === "kill"
        ? await killDrivers({ ...call, graceSeconds })
        : await printStatus({ ...call, json: invocation.json });
    return { isFound, behaviors };
  } finally {
    client.close();
  }
}
