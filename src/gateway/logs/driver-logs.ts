import type { ApplicationRecord, GatewayApplication } from "../model/application.ts";
import type { LogPage, LogRange } from "../model/applications.ts";

/** Log of a driver that has ended. */
export interface EndedLog {
  /** Last lines, for the record. */
  readonly tail: LogPage;
  /** Stores the complete log. @returns the reason why it is not stored. `undefined` if the gateway keeps no logs */
  readonly store: (() => Promise<string | undefined>) | undefined;
}

/** Logs of drivers, from their pods or kept copies. */
export interface DriverLogs {
  /** Starts to copy the log of a driver whose pod is being deleted. Does nothing if the gateway keeps no logs. */
  readonly followEnd: (record: ApplicationRecord, container: string) => void;
  /**
   * Reads the log of a driver that has ended.
   *
   * @param container `undefined` if its pod does not exist
   * @returns `undefined` if there is no log
   * @throws an error if it cannot be read
   */
  readonly readEnded: (record: ApplicationRecord, container: string | undefined) => Promise<EndedLog | undefined>;
  /** Removes the kept logs of an application. Does not reject. */
  readonly remove: (record: ApplicationRecord) => Promise<void>;
  /** Reads the driver's log. A range beyond its end is empty. */
  readonly read: (application: GatewayApplication, range: LogRange) => Promise<LogPage>;
  /** Follows the driver's log from a line on, in pages of complete lines, until its container ends. Yields nothing if none runs. */
  readonly follow: (application: GatewayApplication, from: number, signal: AbortSignal) => AsyncIterable<LogPage>;
  /** Reads the last lines of that output, without reading all of it. */
  readonly readReportTail: (application: GatewayApplication, count: number) => Promise<readonly string[]>;
  /** Reads the output for Livy's clients: the driver's log and, after its end, the submission's log and the reason. */
  readonly readReport: (application: GatewayApplication, range: LogRange) => Promise<LogPage>;
}
