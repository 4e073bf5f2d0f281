import type { SparkLine } from "../conf/spark-version.ts";
import { throwIssues } from "../errors/submit-error.ts";
import type { ListedApplication } from "../masters/kubernetes/applications/list-applications.ts";
import type { Application } from "./application.ts";
import type { FiresteelEnvironment, FiresteelOptions } from "./client-options.ts";
import type { FoundCluster } from "./clusters.ts";
import { findApplication } from "./find-application.ts";
import { ownSignal, toFiresteelError, withFiresteelErrors, withTypedErrors } from "./firesteel-error.ts";
import { type ListOptions, listIn, watchIn } from "./list-and-watch.ts";
import { openSession, type Session } from "./session.ts";
import { submitApplication } from "./submit-application.ts";
import type { CallOptions, SubmitOptions } from "./submit-options.ts";
import { argumentsToInvocation, type LibrarySubmission, toCommandLine, toInvocation } from "./to-invocation.ts";
import type { ApplicationChange } from "./unread-changes.ts";

/**
 * Client that submits applications to Kubernetes in cluster mode, and follows them. All calls share connections, and one watch for each
 * namespace keeps the states of all followed applications current. Prints nothing and handles no signals.
 *
 * An open client keeps the program running while it follows applications: close it, also after a failure.
 *
 * @example
 * ```ts
 * import { Firesteel } from "firesteel";
 *
 * await using firesteel = new Firesteel({ master: "k8s://https://203.0.113.7:6443", namespace: "jobs", sparkVersion: "4.3" });
 * const application = await firesteel.submit({
 *   app: "local:///opt/app/nightly.py",
 *   image: "registry.example/etl:7",
 *   conf: { "spark.executor.instances": 4 },
 * });
 * const { state } = await application.wait();
 * console.log(state);
 * ```
 */
export class Firesteel<Line extends SparkLine = SparkLine> {
  readonly #options: FiresteelOptions<Line>;
  readonly #session: Session;

  /**
   * Creates a client. Reads and connects nothing before the first call.
   *
   * @example
   * ```ts
   * const firesteel = new Firesteel({ namespace: "jobs", log: ({ message }) => console.error(message) });
   * ```
   */
  constructor(options: FiresteelOptions<Line> = {}, environment: FiresteelEnvironment = {}) {
    this.#options = options;
    this.#session = openSession(options, environment);
  }

  /**
   * Submits an application, and returns when its driver is created and has its files. An abort before that removes what was created.
   *
   * @throws FiresteelError with every problem of the submission, or with the rejection of the cluster; the signal's reason
   *
   * @example
   * ```ts
   * const application = await firesteel.submit({
   *   app: "etl.py",
   *   args: ["2026-01-31"],
   *   python: { files: ["deps.zip"] },
   *   conf: { "spark.executor.memory": "8g" },
   *   extraConf: { "spark.mycompany.team": "billing" },
   * });
   * ```
   */
  submit(options: SubmitOptions<Line>): Promise<Application> {
    return this.#submit(options, () => toInvocation(this.#options, options));
  }

  /**
   * Submits the application of a command line of `spark-submit`. Master and mode default to those of the client and `cluster`.
   *
   * @throws FiresteelError as `submit`; SUBMIT_ERR_ARG_… for invalid arguments; the signal's reason
   *
   * @example
   * ```ts
   * const application = await firesteel.submitArguments(["--class", "com.example.Etl", "local:///opt/app.jar", "2026-01-31"]);
   * ```
   */
  submitArguments(
    argv: readonly string[],
    options: Pick<SubmitOptions, "steps" | "signal"> = {},
  ): Promise<Application> {
    return this.#submit(options, () => argumentsToInvocation(this.#options, argv));
  }

  /**
   * Finds an application by its submission ID `namespace:pod`, its pod, application ID or name, or `last` for the newest.
   *
   * @throws FiresteelError SUBMIT_ERR_DRIVER_MISSING, SUBMIT_ERR_DRIVER_AMBIGUOUS, and others; the signal's reason
   *
   * @example
   * ```ts
   * const nightly = await firesteel.application("nightly-etl");
   * console.log(nightly.state);
   * ```
   */
  application(id: string, options: CallOptions = {}): Promise<Application> {
    return this.#call(options, () => findApplication(this.#session, this.#options, id));
  }

  /**
   * Lists applications, the newest first, with the numbers of their executors.
   *
   * @throws FiresteelError; the signal's reason
   *
   * @example
   * ```ts
   * for (const { appName, state } of await firesteel.list({ states: ["running", "pending"] })) console.log(appName, state);
   * ```
   */
  list(options: ListOptions = {}): Promise<readonly ListedApplication[]> {
    return this.#call(options, async () => listIn(await this.#cluster(), options));
  }

  /**
   * Watches applications: yields those that exist, then each change, until the loop or the signal ends it.
   *
   * @throws FiresteelError if the account may not read pods; the signal's reason
   *
   * @example
   * ```ts
   * for await (const { type, application } of firesteel.watch()) console.log(type, application.appName, application.state);
   * ```
   */
  async *watch(options: ListOptions = {}): AsyncGenerator<ApplicationChange, void, undefined> {
    const { closed } = this.#session;
    const signal = ownSignal(closed, ...(options.signal === undefined ? [] : [options.signal]));
    try {
      yield* watchIn(await this.#call({ signal }, () => this.#cluster()), options, signal);
    } catch (error) {
      throw toFiresteelError(error);
    }
  }

  /**
   * Ends all connections and watches. Pending waits and logs reject; pending submissions end as if their signal aborted. Applications
   * continue.
   *
   * @example
   * ```ts
   * await firesteel.close();
   * ```
   */
  close(): Promise<void> {
    return this.#session.close();
  }

  /**
   * Closes the client at the end of a block.
   *
   * @example
   * ```ts
   * await using firesteel = new Firesteel();
   * ```
   */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #submit(options: Pick<SubmitOptions, "steps" | "signal">, read: () => LibrarySubmission): Promise<Application> {
    const { closed } = this.#session;
    const signal = options.signal === undefined ? closed : AbortSignal.any([closed, options.signal]);
    return withTypedErrors(signal, () => submitApplication(this.#session, read(), { ...options, signal }));
  }

  #call<T>({ signal }: CallOptions, action: () => Promise<T>): Promise<T> {
    return withFiresteelErrors(signal, async () => {
      this.#session.closed.throwIfAborted();
      return action();
    });
  }

  async #cluster(): Promise<FoundCluster> {
    const { commandLine, issues } = toCommandLine(this.#options);
    throwIssues(issues);
    return (await this.#session.clusters()).find(commandLine);
  }
}
