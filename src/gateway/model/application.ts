import type { ErrorCode } from "../../errors/codes.ts";
import type { Demand } from "../../plan/minimum-demand.ts";
import type { FieldName } from "../../plan/submit-fields.ts";
import type { LifetimeFields } from "../../spark-application/state/status.ts";

/** Protocols by which clients submit. The ID of an application belongs to its protocol. */
export const protocols = ["livy", "rest", "submitter", "api"] as const;

/** Protocol by which an application was submitted. */
export type Protocol = (typeof protocols)[number];

/**
 * States of an application. `queued`: not admitted yet. `submitting`: admitted, and the cluster has no driver pod yet. `pending`: the pod
 * does not run yet. The last three are final.
 */
export const gatewayStates = [
  ...(["queued", "submitting", "pending", "running", "succeeded", "failed", "killed"] as const),
] as const;

/** States that never change, except by another attempt. */
export const finalStates: ReadonlySet<GatewayState> = new Set(["succeeded", "failed", "killed"]);

/** State of an application. */
export type GatewayState = (typeof gatewayStates)[number];

/** Everything that a client wants to run, independent of its protocol. It corresponds to the arguments of spark-submit. */
export interface Submission {
  /** Options of spark-submit other than settings, by the name of their field, e.g. `mainClass`. */
  readonly fields: Readonly<Partial<Record<FieldName, string>>>;
  /** Settings by key, before those that the gateway forces. */
  readonly settings: Readonly<Record<string, string>>;
  /** Main file as its URI. */
  readonly resource: string;
  readonly appArgs: readonly string[];
  /** Pod templates as JSON text. */
  readonly templates: { readonly driver?: string | undefined; readonly executor?: string | undefined };
}

/** Progress of keeping the log of a driver. */
export type LogState =
  | { readonly state: "pending" | "kept" }
  /** Only the last lines are kept. */
  | { readonly state: "failed"; readonly reason: string };

/** End of an application. */
export interface ApplicationEnd {
  readonly state: "succeeded" | "failed" | "killed";
  /** Time in ms since 1970. */
  readonly atMs: number;
  readonly exitCode?: number | undefined;
  /** Short reason of Kubernetes or the gateway, e.g. `OOMKilled`, `Rejected`. */
  readonly reason?: string | undefined;
  /** One or more sentences for people: the reason and the next step. */
  readonly message?: string | undefined;
  /** Codes of the errors of a rejected submission, which has created no driver. */
  readonly codes?: readonly ErrorCode[] | undefined;
  /** Whether the driver's container has run. */
  readonly hasStarted: boolean;
  /** Last lines of the driver's log. */
  readonly logTail?: readonly string[] | undefined;
  /** Number of lines of the driver's log. */
  readonly logLines?: number | undefined;
  /** Whether the complete log of the driver is kept; `undefined` if the gateway keeps no logs, or there is none. */
  readonly log?: LogState | undefined;
  /** Lines that the submission logged, as spark-submit's stderr. */
  readonly submissionLog?: readonly string[] | undefined;
}

/** Attempts that count for a restart policy; those that the cluster ended do not. */
export interface CountedAttempts {
  readonly submissions: number;
  /** Those whose driver was created. */
  readonly executions: number;
}

/** Time of a schedule at which a run was due, in ms since 1970. The run can have started later. */
export interface ScheduledTime {
  readonly scheduledMs: number;
}

/** Schedule that has started an application. */
export interface ScheduleReference extends ScheduledTime {
  readonly uid: string;
  readonly name: string;
}

/** Stored data of an application. A record exists before the client gets its response, and outlives the pod. */
export interface ApplicationRecord {
  /** Name of the record: a DNS label, unique among all protocols. */
  readonly key: string;
  readonly protocol: Protocol;
  /** ID for the clients of the protocol: an integer for Livy, `driver-…` for REST, any text for the operator. */
  readonly id: string;
  readonly name?: string | undefined;
  /** Authenticated user; `undefined` without authentication. */
  readonly owner?: string | undefined;
  /** Groups of the owner, to act as it. */
  readonly ownerGroups?: readonly string[] | undefined;
  readonly proxyUser?: string | undefined;
  readonly namespace: string;
  readonly podName: string;
  readonly queue?: string | undefined;
  readonly priority: number;
  readonly acceptedMs: number;
  /** Order of acceptance: increases with each application of the gateway. */
  readonly number: number;
  /** Least resources with which it makes progress. */
  readonly demand?: Demand | undefined;
  readonly submission: Submission;
  /** Number of the current attempt, from 1 on. Each has its own driver pod. */
  readonly attempt: number;
  /** When it runs again, and how long it is kept after its end. @default the gateway decides */
  readonly lifetime?: LifetimeFields | undefined;
  /** Earlier attempts since a client submitted it. @default none */
  readonly counted?: CountedAttempts | undefined;
  /** Earliest time of the submission, for example of a retry, in ms since 1970. */
  readonly notBeforeMs?: number | undefined;
  /** Request to kill it, which is stored before anything is deleted. */
  readonly killed?: { readonly by: string | undefined; readonly atMs: number } | undefined;
  /** Whether a client has removed it: it is hidden, until its driver is deleted. */
  readonly isRemoved?: boolean | undefined;
  /** Key of the client for a repeated request. */
  readonly idempotencyKey?: string | undefined;
  /** @default a client submitted it */
  readonly schedule?: ScheduleReference | undefined;
  /** Parent of the application's spans, as a header `traceparent`. @default none are recorded */
  readonly traceparent?: string | undefined;
  /** Digest of the request, to recognize a repetition with another content. */
  readonly requestDigest?: string | undefined;
  readonly end?: ApplicationEnd | undefined;
  /** Receivers that must still get the end. */
  readonly undelivered?: readonly string[] | undefined;
  /** Application ID of the latest attempt, once it is known. */
  readonly appId?: string | undefined;
}

/** Driver pod as the watch shows it. Times are in ms since 1970. */
export interface ObservedDriver {
  readonly uid: string;
  readonly createdMs: number;
  readonly scheduledMs?: number | undefined;
  readonly startedMs?: number | undefined;
  readonly nodeName?: string | undefined;
  readonly podAddress?: string | undefined;
  /** Short reason of the present state, e.g. `Unschedulable`, `ImagePullBackOff`. */
  readonly reason?: string | undefined;
  /** Message of the scheduler about a pod that has no node. */
  readonly message?: string | undefined;
  readonly container: string;
}

/** An executor pod as the watch shows it. */
export interface ObservedExecutor {
  readonly id: string;
  readonly podName: string;
  readonly state: "pending" | "running" | "succeeded" | "failed";
  readonly createdMs: number;
  readonly endedMs?: number | undefined;
  readonly reason?: string | undefined;
}

/** An application as the gateway knows it now. */
export interface GatewayApplication {
  readonly record: ApplicationRecord;
  readonly state: GatewayState;
  readonly driver?: ObservedDriver | undefined;
  readonly executors: readonly ObservedExecutor[];
  /** Lines that the submission logged, as spark-submit's stderr. */
  readonly submissionLog: readonly string[];
  /** Whether the end has its final message: that of a failed driver is known some time after the state. */
  readonly isExplained: boolean;
  /** Position in its queue, from 1 on, and why it waits. An application that runs again later has no position before. */
  readonly waiting?: { readonly position?: number | undefined; readonly reason: string } | undefined;
  /** Message of the scheduler of its queue about a driver that has no node yet. */
  readonly schedulerMessage?: string | undefined;
}
