import { firesteelRunTimeout, firesteelStartTimeout } from "../../conf/entries/firesteel.ts";
import { yarnIncludeDriverLogsLink, yarnReportInterval, yarnReportLoggingFrequency } from "../../conf/entries/yarn.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { hasCode } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { type Log, logLines } from "../../host/log.ts";
import type { ApplicationRequest } from "../../plan/submit-request.ts";
import { type AppOutcome, type AppReport, appOutcome, isTerminated, printReport } from "./plan/app-report.ts";
import type { ResourceManager } from "./resource-manager.ts";

/** A submitted application. */
interface FollowedApplication {
  readonly host: Host;
  readonly log: Log;
  readonly conf: SparkConf;
  readonly request: Pick<ApplicationRequest, "behaviors">;
  readonly appId: string;
  readonly resourceManager: ResourceManager;
  readonly signal: AbortSignal;
}

/**
 * Logs the state of an application until it is terminated, in Spark's format.
 *
 * Source: Spark yarn.Client.monitorApplication; recorded with Spark 4.3.0.
 *
 * @throws the reason of `signal`, and errors of the ResourceManager
 */
export async function waitForApplication(followed: FollowedApplication): Promise<AppOutcome> {
  const { host, log, conf, appId, signal } = followed;
  const [intervalMs, frequency] = [conf.get(yarnReportInterval), conf.get(yarnReportLoggingFrequency)];
  const sinceMs = host.clock.monotonic();
  let lastState: string | undefined;
  let reportsSinceLog = 0;
  let unknownSince: number | undefined;
  while (true) {
    await host.clock.sleep(intervalMs, { signal });
    signal.throwIfAborted();
    const report = await fetchReportWithRetries(followed);
    if (report === undefined) {
      const now = host.clock.monotonic();
      unknownSince ??= now;
      // A restarted ResourceManager recovers its applications one by one.
      if (now - unknownSince < malformedResponseTimeoutMs) continue;
      log("ERROR", "Client", `Application ${appId} not found.`);
      return { kind: "killed" };
    }
    unknownSince = undefined;
    const hasChanged = report.state !== lastState;
    reportsSinceLog += 1;
    if (hasChanged || reportsSinceLog >= frequency) {
      logState(log, report);
      reportsSinceLog = 0;
    }
    if (hasChanged) logReport(log, conf, report);
    lastState = report.state;
    if (isTerminated(report)) return logOutcome(report, log);
    const key = expiredLimit(followed, report, host.clock.monotonic() - sinceMs);
    if (key !== undefined) return { kind: "timedOut", key };
  }
}

/** Returns the setting of a time limit that has expired. A limit of 0 is none; with Spark's setting checks there are none. */
function expiredLimit({ conf, request }: FollowedApplication, { state }: AppReport, elapsedMs: number) {
  if (request.behaviors.settingChecks === "spark") return undefined;
  const limits = state === "RUNNING" ? [firesteelRunTimeout] : [firesteelStartTimeout, firesteelRunTimeout];
  return limits.find((entry) => conf.get(entry) > 0 && elapsedMs >= conf.get(entry))?.key;
}

/** Logs the state of an application once. */
export function logState(log: Log, { appId, state }: AppReport): void {
  log("INFO", "Client", `Application report for ${appId} (state: ${state})`);
}

/** Logs the details of an application. */
export function logReport(log: Log, conf: SparkConf, report: AppReport): void {
  logLines(log, "INFO", "Client", printReport(report, conf.get(yarnIncludeDriverLogsLink)));
}

/** Timeout for a ResourceManager failover. Source: yarn.resourcemanager.connect.max-wait.ms. */
const timeoutMs = 900_000;
const retryMs = 5000;

/** Time after which malformed responses of a starting ResourceManager or its proxy are errors. */
const malformedResponseTimeoutMs = 60_000;

/** Fetches the state of an application until a ResourceManager responds. @throws SUBMIT_ERR_HADOOP_… after the timeout */
export async function fetchReportWithRetries(followed: Omit<FollowedApplication, "conf" | "request">) {
  const { host, resourceManager, appId, log, signal } = followed;
  const since = host.clock.monotonic();
  while (true) {
    try {
      return await resourceManager.report(appId);
    } catch (error) {
      const isRejected = hasCode(error, "SUBMIT_ERR_HADOOP_REJECTED");
      if (!isRejected && !hasCode(error, "SUBMIT_ERR_HADOOP_UNREACHABLE")) throw error;
      if (host.clock.monotonic() - since >= (isRejected ? malformedResponseTimeoutMs : timeoutMs)) {
        log("ERROR", "Client", `Failed to contact YARN for application ${appId}.`);
        throw error;
      }
      log("WARN", "Client", `${error.message}; retrying.`);
    }
    await host.clock.sleep(retryMs, { signal });
    signal.throwIfAborted();
  }
}

function logOutcome(report: AppReport, log: Log): AppOutcome {
  const outcome = appOutcome(report);
  if (outcome.kind === "failed" && report.diagnostics !== "")
    log("ERROR", "Client", `Application diagnostics message: ${report.diagnostics}`);
  return outcome;
}
