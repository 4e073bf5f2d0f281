import type { Issue } from "../../errors/issue.ts";
import type { ScheduleSpec, SparkApplication } from "../../spark-application/application.ts";
import type { OwnApplication } from "../../spark-application/own/own-application.ts";
import type { GatewayApplication, ScheduledTime } from "./application.ts";

/** When runs of a schedule start, and how many are kept. */
export type ScheduleRules = Pick<
  ScheduleSpec,
  "schedule" | "timeZone" | "concurrencyPolicy" | "successfulRunHistoryLimit" | "failedRunHistoryLimit"
>;

/** Name of a schedule, unique in its namespace. */
export interface ScheduleName {
  readonly namespace: string;
  readonly name: string;
}

/** A schedule that a client wants to create. */
export interface NewSchedule extends ScheduleName {
  readonly owner: string | undefined;
  readonly ownerGroups?: readonly string[] | undefined;
  readonly rules: ScheduleRules;
  /** Application of each run, before it gets the name of the run. */
  readonly application: SparkApplication | OwnApplication;
  readonly queue?: string | undefined;
  readonly priority?: number | undefined;
  readonly isSuspended: boolean;
}

/** Latest run of a schedule. */
interface LastRun extends ScheduledTime {
  /** Name and key of its application, which can have been removed. */
  readonly name: string;
  readonly key: string;
  /** In ms since 1970. */
  readonly startedMs: number;
}

/** Stored data of a schedule. It exists before the client gets its response. */
export interface ScheduleRecord extends NewSchedule {
  /** Name of the record: a DNS label, unique for namespace and name. */
  readonly key: string;
  /** Differs from that of an earlier schedule with this name. */
  readonly uid: string;
  readonly requestDigest: string;
  /** In ms since 1970. */
  readonly createdMs: number;
  /** Time of the next run in ms since 1970, which has passed if the run could not start; `undefined` if there is none within five years. */
  readonly nextRunMs?: number | undefined;
  readonly lastRun?: LastRun | undefined;
  /** Reason for which the latest run was not started. */
  readonly problem?: string | undefined;
  /** Whether a client has removed it: it is hidden, until its applications are removed. */
  readonly isRemoved?: boolean | undefined;
}

/** A schedule as the gateway knows it now. */
export interface GatewaySchedule {
  readonly record: ScheduleRecord;
  /** Time for which the next run is scheduled, in ms since 1970; `undefined` if it starts no runs. */
  readonly nextRunMs: number | undefined;
  /** Reason for which it starts no runs now, or for which the latest run was not started. */
  readonly problem: string | undefined;
  /** Its applications, the newest first. */
  readonly runs: readonly GatewayApplication[];
}

/** Client that changes a schedule. */
export interface Requester {
  /** `undefined` without authentication. */
  readonly user: string | undefined;
  /** @default unknown */
  readonly groups?: readonly string[] | undefined;
}

/** Result of the creation of a schedule. Nothing is stored for a rejected one. */
export type CreateScheduleResult =
  | { readonly kind: "created"; readonly schedule: GatewaySchedule }
  /** The same request was accepted before. */
  | { readonly kind: "repeated"; readonly schedule: GatewaySchedule }
  /** Another schedule has the name. */
  | { readonly kind: "conflict" }
  /** A record of a schedule with the name exists, and cannot be read. */
  | { readonly kind: "unreadable" }
  | { readonly kind: "rejected"; readonly issues: readonly Issue[] }
  | { readonly kind: "unavailable"; readonly reason: string; readonly retryAfterSeconds: number };

/** Schedules of the gateway. */
export interface Schedules {
  /** Checks and stores a schedule. The same request by its owner again replaces the groups of the owner. Resolves when it would survive a crash of the gateway. */
  readonly create: (schedule: NewSchedule) => Promise<CreateScheduleResult>;
  readonly get: (name: ScheduleName) => GatewaySchedule | undefined;
  /** Returns all schedules in the order of their namespaces and names. */
  readonly list: () => readonly GatewaySchedule[];
  /** Stops the start of runs, or permits it again. A run that was due meanwhile starts at once. Does nothing for an unknown one. */
  readonly setSuspended: (name: ScheduleName, isSuspended: boolean, by: Requester) => Promise<void>;
  /** Removes a schedule with its applications: those that run are killed. Returns false for an unknown one. */
  readonly remove: (name: ScheduleName, by: string | undefined) => Promise<boolean>;
}
