import { yarnReportInterval } from "../../conf/entries/yarn.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { orThrow, submitError } from "../../errors/submit-error.ts";
import { openAccess } from "../../hadoop/open-access.ts";
import { resourceManagersOf } from "../../hadoop/resource-managers.ts";
import { sparkLog } from "../../host/log.ts";
import type { HttpConnections } from "../../net/http-connections.ts";
import { keytabLogin } from "../../resolve/keytab-login.ts";
import { operationConf, type ResolvedOperation } from "../../resolve/resolve-operation.ts";
import { submissionHadoopConf } from "../../resolve/submission-hadoop-conf.ts";
import type { OperationOutcome } from "../master-strategy.ts";
import { isTerminated } from "./plan/app-report.ts";
import { openResourceManager, type ResourceManager } from "./resource-manager.ts";
import { logReport, logState } from "./wait-for-application.ts";

/**
 * Runs `--kill` or `--status` for an application on YARN. Spark does not support these operations on YARN.
 *
 * @throws SUBMIT_ERR_YARN_APP_ID, SUBMIT_ERR_YARN_APP_UNKNOWN, SUBMIT_ERR_YARN_NO_ADDRESS, SUBMIT_ERR_HADOOP_…
 */
export async function operateOnYarn(
  operation: ResolvedOperation,
  connections: HttpConnections,
): Promise<OperationOutcome> {
  const { host, invocation, master, behaviors } = operation;
  if (behaviors.yarnOperations !== "supported") throw submitError("SUBMIT_ERR_NO_OPERATIONS", { master });
  const conf = operationConf(operation);
  const { submissionId: appId } = invocation;
  if (!/^application_\d+_\d+$/.test(appId)) throw submitError("SUBMIT_ERR_YARN_APP_ID", { text: appId });
  const hadoop = submissionHadoopConf(host, conf);
  const servers = orThrow(resourceManagersOf(hadoop));
  const access = await openAccess(host, { conf: hadoop, connections, login: keytabLogin(host, conf) });
  try {
    return await operate(operation, conf, openResourceManager(host, { servers, ...access }));
  } finally {
    access.close();
  }
}

async function operate(
  { host, invocation, behaviors }: ResolvedOperation,
  conf: SparkConf,
  resourceManager: ResourceManager,
): Promise<OperationOutcome> {
  const { submissionId: appId } = invocation;
  const log = sparkLog(host);
  const report = await resourceManager.report(appId);
  if (report === undefined) throw submitError("SUBMIT_ERR_YARN_APP_UNKNOWN", { appId });
  if (invocation.action === "status") {
    if (invocation.json) host.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
    else {
      logState(log, report);
      logReport(log, conf, report);
    }
  } else if (isTerminated(report)) log("WARN", "Client", `Application ${appId} is already terminated`);
  else {
    while (!(await resourceManager.kill(appId))) await host.clock.sleep(conf.get(yarnReportInterval));
    log("INFO", "Client", `Application ${appId} is killed`);
  }
  return { isFound: true, behaviors };
}
