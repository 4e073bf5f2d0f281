import { isFields } from "../../../values/fields.ts";

/** State of an application, as reported by its ResourceManager. */
export interface AppReport {
  readonly appId: string;
  /** NEW, NEW_SAVING, SUBMITTED, ACCEPTED, RUNNING, FINISHED, FAILED or KILLED. */
  readonly state: string;
  /** UNDEFINED, SUCCEEDED, FAILED or KILLED. */
  readonly finalStatus: string;
  readonly diagnostics: string;
  /** Address of the driver; `undefined` until it has one. */
  readonly driver: { readonly host: string; readonly port: string } | undefined;
  readonly queue: string;
  /** In ms since 1970. */
  readonly startedTime: string;
  readonly trackingUrl: string;
  readonly user: string;
  /** URL of the driver's logs. */
  readonly driverLogs: string;
}

/** Parses the response to `GET /ws/v1/cluster/apps/ID`. Returns `undefined` if it is not a report. */
export function readAppReport(response: unknown): AppReport | undefined {
  const app = isFields(response) ? response["app"] : undefined;
  if (!isFields(app)) return undefined;
  const text = (name: string) => {
    const value = app[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  const [, host, port] = /^(.*):(-?\d+)$/.exec(text("amRPCAddress")) ?? [];
  return {
    appId: text("id"),
    state: text("state"),
    finalStatus: text("finalStatus"),
    diagnostics: text("diagnostics"),
    driver: host === undefined || port === undefined || host === "N/A" ? undefined : { host, port },
    queue: text("queue"),
    startedTime: text("startedTime"),
    trackingUrl: text("trackingUrl"),
    user: text("user"),
    driverLogs: text("amContainerLogs"),
  };
}

/** Formats a report in lines as Spark does after a change. Source: Spark yarn.Client.formatReportDetails; recorded with Spark 4.3.0. */
export function printReport(report: AppReport, includesLogs: boolean): readonly string[] {
  const { driver, driverLogs } = report;
  const logs = (stream: string) => [`Driver Logs (${stream})`, `${driverLogs}/${stream}?start=-4096`] as const;
  const rows: readonly (readonly [string, string])[] = [
    // The REST API does not report it.
    ["client token", ""],
    ["diagnostics", report.diagnostics],
    ["ApplicationMaster host", driver?.host ?? ""],
    ["ApplicationMaster RPC port", driver?.port ?? "-1"],
    ["queue", report.queue],
    ["start time", report.startedTime],
    ["final status", report.finalStatus],
    ["tracking URL", report.trackingUrl],
    ["user", report.user],
    ...(includesLogs && driverLogs !== "" ? [logs("stdout"), logs("stderr")] : []),
  ];
  return ["", ...rows.map(([name, value]) => `\t ${name}: ${value === "" ? "N/A" : value}`)];
}

/** Returns whether the application has ended. */
export function isTerminated({ state }: AppReport): boolean {
  return ["FINISHED", "FAILED", "KILLED"].includes(state);
}

/** Outcome of an application. */
export type AppOutcome =
  | { readonly kind: "succeeded" }
  /** `exitCode`: of the driver, if reported. */
  | { readonly kind: "failed"; readonly exitCode: number | undefined }
  | { readonly kind: "killed" }
  /** A time limit of Firesteel expired. `key` is its setting. */
  | { readonly kind: "timedOut"; readonly key: string }
  | { readonly kind: "undefined" };

/** Determines the outcome of a terminated application. Source: Spark yarn.Client.run. */
export function appOutcome({ state, finalStatus, diagnostics }: AppReport): AppOutcome {
  if (state === "FAILED" || finalStatus === "FAILED") return { kind: "failed", exitCode: exitCodeIn(diagnostics) };
  if (state === "KILLED" || finalStatus === "KILLED") return { kind: "killed" };
  return { kind: finalStatus === "UNDEFINED" ? "undefined" : "succeeded" };
}

/** Parses the driver's exit code from the diagnostics of YARN and Spark. The last attempt counts. */
function exitCodeIn(diagnostics: string): number | undefined {
  const user = [...diagnostics.matchAll(/User application exited with(?: status)? (\d{1,3})\b/g)].at(-1)?.[1];
  const container = [...diagnostics.matchAll(/exited with\s+exitCode: (\d{1,3})\b/g)].at(-1)?.[1];
  const code = Number(user ?? container ?? 0);
  return code === 0 ? undefined : code;
}
