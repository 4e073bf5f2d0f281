import type { ErrorCode } from "../../errors/codes.ts";
import type { Issue } from "../../errors/issue.ts";
import type { LifetimeFields } from "../../spark-application/state/status.ts";
import type { GatewayApplication, Protocol, ScheduleReference, Submission } from "./application.ts";

/** Time after which clients should repeat a request that cannot be served now. */
export const retryAfterSeconds = 5;

/** An application that a client wants to submit. */
export interface NewApplication {
  readonly protocol: Protocol;
  /** ID that the client chose. @default the protocol's next one */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly owner?: string | undefined;
  readonly ownerGroups?: readonly string[] | undefined;
  readonly proxyUser?: string | undefined;
  readonly queue?: string | undefined;
  readonly priority?: number | undefined;
  readonly submission: Submission;
  /** @default the gateway decides when it runs again, and how long it is kept */
  readonly lifetime?: LifetimeFields | undefined;
  /** Key with which a client repeats a request safely, unique for each owner and protocol. */
  readonly idempotencyKey?: string | undefined;
  /** Schedule that starts it. @default a client submits it */
  readonly schedule?: ScheduleReference | undefined;
  /** Whether no other application of the protocol may have the name. */
  readonly hasUniqueName?: boolean | undefined;
  /** Whether `hasUniqueName` ignores applications that have ended. @default false */
  readonly isNameReusable?: boolean | undefined;
  /** Codes of issues with which an application is accepted, and then fails: clients of the protocol expect it. @default none */
  readonly toleratedIssues?: readonly ErrorCode[] | undefined;
  /** Span of the request, as the parent of those of the application. @default none are recorded */
  readonly traceparent?: string | undefined;
  /** Settings that contain the ID, which override those of the submission. They do not count for a repeated request. */
  readonly settingsWithId?: ((id: string) => Readonly<Record<string, string>>) | undefined;
}

/** Result of a submission. Nothing is stored for a rejected one. */
export type SubmitResult =
  | { readonly kind: "accepted"; readonly application: GatewayApplication }
  /** The same request was accepted before. */
  | { readonly kind: "repeated"; readonly application: GatewayApplication }
  /** Another request has this ID, idempotency key or pod. */
  | { readonly kind: "conflict"; readonly with: "id" | "idempotencyKey" | "name" | "pod"; readonly id: string }
  /** The settings are invalid, with every problem. */
  | { readonly kind: "rejected"; readonly issues: readonly Issue[] }
  /** The gateway cannot accept applications now. */
  | { readonly kind: "unavailable"; readonly reason: string; readonly retryAfterSeconds: number }
  /** The client has too many applications, or all clients together. */
  | { readonly kind: "limited"; readonly reason: string; readonly retryAfterSeconds: number };

/** Part of a log. Line numbers never change. */
export interface LogPage {
  readonly lines: readonly string[];
  /** Number of the first line, from 0 on. */
  readonly from: number;
  /** Number of lines so far. */
  readonly total: number;
}

/** Lines of a log to read: from a number on, or the last ones. */
export type LogRange = { readonly from: number; readonly count: number } | { readonly last: number };

/** Applications of the gateway, for all protocols. */
export interface Applications {
  /** Checks, stores and submits an application. Resolves when it would survive a crash of the gateway. */
  readonly submit: (application: NewApplication) => Promise<SubmitResult>;
  /** Returns an application by the ID of its protocol. */
  readonly find: (protocol: Protocol, id: string) => GatewayApplication | undefined;
  /** Returns the latest application with a name. */
  readonly findByName: (protocol: Protocol, name: string) => GatewayApplication | undefined;
  readonly get: (key: string) => GatewayApplication | undefined;
  /** Returns all applications in the order of acceptance. */
  readonly list: () => Iterable<GatewayApplication>;
  /** Stores the request to kill an application, and deletes its driver. Returns false if it has ended. */
  readonly kill: (key: string, by: string | undefined) => Promise<boolean>;
  /** Kills an application, and removes its record. */
  readonly remove: (key: string, by: string | undefined) => Promise<void>;
  /** Submits an application that has ended again, as a new attempt. Returns false if it has not ended. */
  readonly retry: (key: string, by: string | undefined) => Promise<boolean>;
  /** Reads the driver's log, which is kept after the pod if the gateway keeps logs. */
  readonly readLog: (key: string, range: LogRange) => Promise<LogPage>;
  /**
   * Follows the driver's log from a line on while its pod writes it, in pages of complete lines. Ends with the container, or at once
   * if none runs; a page can follow.
   */
  readonly followLog: (key: string, from: number, signal: AbortSignal) => Promise<AsyncIterable<LogPage>>;
  /** Reads the complete output for Livy's clients: the driver's log, and after its end the submission's log and the diagnosis. */
  readonly readReport: (key: string, range: LogRange) => Promise<LogPage>;
  /** Reads the last lines of that output, without reading all of it. */
  readonly readReportTail: (key: string, count: number) => Promise<readonly string[]>;
  /** Calls the listener after each change of an application; `undefined` as its new state if it was removed. */
  readonly onChange: (listener: (key: string, application: GatewayApplication | undefined) => void) => () => void;
}
