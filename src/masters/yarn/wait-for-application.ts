import { firesteelRunTimeout, firesteelStartTimeout } from "../../conf/entries/firesteel.ts";
import { yarnIncludeDriverLogsLink, yarnReportInterval, yarnReportLoggingFrequency } from "../../conf/entries/yarn.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { hasCode } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import type { ApplicationRequest } from "../../plan/submit-request.ts";
import { type AppOutcome, type AppReport, appOutcome, isTerminated, printReport } from "./plan/app-report.ts";
import type { ResourceManager } from "./resource-manager.ts";

/** A submitted application, and inputs of the wait. */
export interface FollowedApplication {
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
  const limits = timeLimits(followed);
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
      logState(followed, report);
      reportsSinceLog = 0;
    }
    if (hasChanged) logReport(followed, report);
    lastState = report.state;
    if (isTerminated(report)) return logOutcome(report, log);
    const broken = limits.brokenBy(report);
    if (broken !== undefined) return broken;
  }
}

/** Time limits for the start and the run of an application. 0 is unlimited. */
function timeLimits({ host, conf, request }: FollowedApplication) {
  const since = host.clock.monotonic();
  const limits = request.behaviors.settingChecks === "spark" ? [] : [firesteelStartTimeout, firesteelRunTimeout];
  return {
    brokenBy({ state }: AppReport): AppOutcome | undefined {
      const elapsedMs = host.clock.monotonic() - since;
      for (const entry of limits) {
        const limitMs = conf.get(entry);
        const isKept = limitMs === 0 || elapsedMs < limitMs;
        if (isKept || (entry === firesteelStartTimeout && state === "RUNNING")) continue;
        return { kind: "givenUp", key: entry.key };
      }
      return undefined;
    },
  };
}

/** Logs the state of an application once. */
export function logState({ log }: Pick<FollowedApplication, "log">, { appId, state }: AppReport): void {
  log("INFO", "Client", `Application report for ${appId} (state: ${state})`);
}

/** Logs the details of an application. */
export function logReport({ log, conf }: Pick<FollowedApplication, "log" | "conf">, report: AppReport): void {
  log("INFO", "Client", printReport(report, conf.get(yarnIncludeDriverLogsLink)));
}

/** Timeout for a ResourceManager failover. Source: yarn.resourcemanager.connect.max-wait.ms. */
const timeoutMs = 900_000;

/** Time after which malformed responses of a starting ResourceManager or its proxy are errors. */
const malformedResponseTimeoutMs = 60_000;

/** Fetches the state of an application until a ResourceManager responds. The application goes on meanwhile. @throws SUBMIT_ERR_HADOOP_… after the timeout */
export async function fetchReportWithRetries({
  host,
  resourceManager,
  appId,
  log,
  signal,
}: Pick<FollowedApplication, "host" | "resourceManager" | "appId" | "log" | "signal">) {
  const since = host.clock.monotonic();
  while (true) {
    try {
      return await resourceManager.report(appId);
    } catch (error) {
      const isRefused = hasCode(error, "SUBMIT_ERR_HADOOP_REJECTED");
      if (!isRefused && !hasCode(error, "SUBMIT_ERR_HADOOP_UNREACHABLE")) throw error;
      const isOut = host.clock.monotonic() - since >= (isRefused ? malformedResponseTimeoutMs : timeoutMs);
      if (isOut) log("ERROR", "Client", `Failed to contact YARN for application ${appId}.`);
      else log("WARN", "Client", `${error.message}; it is tried again.`);
      if (isOut) throw error;
    }
    await host.clock.sleep(intervalMs, { signal });
    signal.throwIfAborted();
  }
}

const intervalMs = 5000;

function logOutcome(report: AppReport, log: Log): AppOutcome {
  const outcome = appOutcome(report);
  if (outcome.kind === "failed" && report.diagnostics !== "")
    log("ERROR", "Client", `Application diagnostics message: ${report.diagnostics}`);
  return outcome;
}
