import type { Pod } from "../../kube/types.ts";
import type { ApplicationRecord, GatewayApplication } from "../model/application.ts";
import type { LogPage, LogRange } from "../model/applications.ts";

/** Logs of drivers, from their pods or kept copies. */
export interface DriverLogs {
  /**
   * Keeps the log of a driver that has ended.
   *
   * @returns its last lines for the record; `undefined` if the complete log is kept
   * @throws an error if it cannot be read or kept
   */
  readonly keep: (record: ApplicationRecord, pod: Pod) => Promise<readonly string[] | undefined>;
  /** Reads the driver's log. A range beyond its end is empty. */
  readonly read: (application: GatewayApplication, range: LogRange) => Promise<LogPage>;
  /** Reads the last lines of that output, without reading all of it. */
  readonly readReportTail: (application: GatewayApplication, count: number) => Promise<readonly string[]>;
  /** Reads the output for Livy's clients: the driver's log and, after its end, the submission's log and the reason. */
  readonly readReport: (application: GatewayApplication, range: LogRange) => Promise<LogPage>;
}
