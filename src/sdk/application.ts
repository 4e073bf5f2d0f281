import type { Diagnosis } from "../diagnosis/diagnosis.ts";
import type { ApplicationState, ApplicationSummary } from "../masters/kubernetes/applications/application-summary.ts";
import type { ApplicationEvent } from "../masters/kubernetes/diagnose/application-events.ts";
import type { ApplicationOutcome } from "./application-outcome.ts";
import type { CallOptions } from "./submit-options.ts";

/**
 * State of a followed application: that of its driver, or `deleted` if its pod does not exist any more.
 *
 * @example
 * ```ts
 * const hasEnded = (state: FollowedState) => ["succeeded", "failed", "deleted"].includes(state);
 * ```
 */
export type FollowedState = ApplicationState | "deleted";

/**
 * An application in short. Times are as in the API (RFC 3339).
 *
 * @example
 * ```ts
 * const { state, reason, exitCode }: ApplicationStatus = await application.status();
 * ```
 */
export interface ApplicationStatus extends Omit<ApplicationSummary, "state"> {
  /** State of the application, see `FollowedState`. */
  readonly state: FollowedState;
}

/**
 * Options of waiting for an application.
 *
 * @example
 * ```ts
 * const options: WaitOptions = { diagnose: false, signal: AbortSignal.timeout(3_600_000) };
 * ```
 */
export interface WaitOptions extends CallOptions {
  /** Whether to find out why an application failed, which takes one to six seconds and a few requests. @default true */
  readonly diagnose?: boolean | undefined;
}

/**
 * Part of a log, and its form.
 *
 * @example
 * ```ts
 * const lastLines: LogOptions = { tailLines: 100, follow: false };
 * ```
 */
export interface LogOptions extends CallOptions {
  /** Whether new lines follow until the driver ends. @default true */
  readonly follow?: boolean | undefined;
  /** The log of the driver, of all executors with the executor before each line, or of one executor. @default "driver" */
  readonly source?: "driver" | "executors" | { readonly executorId: string } | undefined;
  /** Time of the oldest line. @default all lines */
  readonly since?: Date | undefined;
  /** Number of last lines. @default all lines */
  readonly tailLines?: number | undefined;
}

/**
 * Options of killing an application.
 *
 * @example
 * ```ts
 * const options: KillOptions = { gracePeriodSeconds: 5 };
 * ```
 */
export interface KillOptions extends CallOptions {
  /** Time between SIGTERM and SIGKILL. @default that of the settings, else of the pod */
  readonly gracePeriodSeconds?: number | undefined;
}

/**
 * A submitted application. Its state is kept current by one watch for all applications of a namespace, which ends when all have ended
 * or are closed.
 *
 * @example
 * ```ts
 * const application = await firesteel.submit({ app: "local:///opt/app.py" });
 * console.log(application.id, application.state);
 * const { state, exitCode } = await application.wait();
 * ```
 */
export interface Application {
  /**
   * Submission ID, `namespace:pod`, which other programs of Spark and Firesteel accept.
   *
   * @example
   * ```ts
   * const again = await firesteel.application(application.id);
   * ```
   */
  readonly id: string;
  /**
   * Namespace of the driver's pod.
   *
   * @example
   * ```ts
   * console.log(`kubectl --namespace ${application.namespace} get pod ${application.podName}`);
   * ```
   */
  readonly namespace: string;
  /**
   * Name of the driver's pod.
   *
   * @example
   * ```ts
   * console.log(application.podName);
   * ```
   */
  readonly podName: string;
  /**
   * Spark's application ID, e.g. `spark-1f3c…`.
   *
   * @example
   * ```ts
   * console.log(`https://history.example/history/${application.appId}`);
   * ```
   */
  readonly appId: string;
  /**
   * Name of the application.
   *
   * @example
   * ```ts
   * console.log(application.appName);
   * ```
   */
  readonly appName: string;
  /**
   * Last known state.
   *
   * @example
   * ```ts
   * if (application.state === "pending") console.log("The driver has not started yet.");
   * ```
   */
  readonly state: FollowedState;
  /**
   * Waits for the end of the application. A failed application is an outcome, not an error.
   *
   * @throws FiresteelError if the account may not read pods; the signal's reason
   *
   * @example
   * ```ts
   * const outcome = await application.wait({ signal: AbortSignal.timeout(3_600_000) });
   * if (outcome.state !== "succeeded") console.error(outcome.diagnosis?.message ?? outcome.reason);
   * ```
   */
  readonly wait: (options?: WaitOptions) => Promise<ApplicationOutcome>;
  /**
   * Reads a log line by line, without line ends. Reconnects without losing or repeating a line. An unread log is not buffered
   * without limit.
   *
   * @throws FiresteelError after the last line that could be read, if a part of the log is missing; the signal's reason
   *
   * @example
   * ```ts
   * for await (const line of application.logs()) console.log(line);
   * ```
   */
  readonly logs: (options?: LogOptions) => AsyncGenerator<string, void, undefined>;
  /**
   * Lists the events about the driver, its executors and their objects, the oldest first. Clusters keep events for an hour.
   *
   * @throws FiresteelError; the signal's reason
   *
   * @example
   * ```ts
   * for (const { time, object, reason, message } of await application.events()) console.log(time, object, reason, message);
   * ```
   */
  readonly events: (options?: CallOptions) => Promise<readonly ApplicationEvent[]>;
  /**
   * Finds out why the driver does not start, failed, or is not making progress, in at most six seconds. `undefined`: there is no
   * known problem.
   *
   * @throws FiresteelError; the signal's reason
   *
   * @example
   * ```ts
   * const problem = await application.diagnose();
   * if (problem !== undefined) console.error(`${problem.message} ${problem.nextStep}`);
   * ```
   */
  readonly diagnose: (options?: CallOptions) => Promise<Diagnosis | undefined>;
  /**
   * Reads the current status from the cluster.
   *
   * @throws FiresteelError; the signal's reason
   *
   * @example
   * ```ts
   * const { state, reason } = await application.status({ signal: AbortSignal.timeout(5_000) });
   * ```
   */
  readonly status: (options?: CallOptions) => Promise<ApplicationStatus>;
  /**
   * Deletes the driver's pod. The cluster deletes the objects that it owns, such as executors. Returns whether the pod existed.
   *
   * @throws FiresteelError; the signal's reason
   *
   * @example
   * ```ts
   * await application.kill({ gracePeriodSeconds: 5 });
   * ```
   */
  readonly kill: (options?: KillOptions) => Promise<boolean>;
  /**
   * Stops following the application, which continues. Pending waits and logs reject.
   *
   * @example
   * ```ts
   * application.close();
   * ```
   */
  readonly close: () => void;
  /**
   * Closes the application at the end of a block.
   *
   * @example
   * ```ts
   * await using application = await firesteel.submit({ app: "local:///opt/app.py" });
   * ```
   */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}
